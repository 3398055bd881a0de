/** What a call costs on a wallet that has other calls open: each of its writes pays for the whole item. */
import { createLedger } from '../../lambdas/adapters/ledger/create-ledger.ts';
import type { Figure } from '../harness/report.ts';
import { openAccount, SILENT, UNMEASURED } from '../harness/service/account.ts';
import { openDatabase } from '../harness/service/database.ts';
import { Traffic } from '../harness/service/traffic.ts';
import { median } from '../harness/statistics.ts';
import { callOf, OUTCOME } from '../ledger/call.ts';

const OPEN = [0, 16, 64, 256] as const;
const CALLS = 30;

export async function measureHolds(): Promise<Figure[]> {
  const database = await openDatabase({ inMemory: true });
  try {
    const figures: Figure[] = [];
    for (const open of OPEN) {
      const clients = database.connect();
      const { environment } = database;
      const traffic = new Traffic(clients);
      const account = await openAccount(clients, environment);
      const { ledger } = createLedger({ clients, environment, log: SILENT, measure: UNMEASURED });
      for (let hold = 0; hold < open; hold += 1) await ledger.admit(callOf(account));
      const callMs: number[] = [];
      traffic.take();
      for (let call = 0; call < CALLS; call += 1) {
        const startedMs = performance.now();
        await (await ledger.admit(callOf(account))).settle(OUTCOME);
        callMs.push(performance.now() - startedMs);
      }
      figures.push(
        { name: `${open} holds open: admit and settle`, value: median(callMs), unit: 'ms' },
        { name: `${open} holds open: a call`, value: traffic.take().writeUnits / CALLS, unit: 'write units' },
      );
    }
    return figures;
  } finally {
    await database.close();
  }
}
