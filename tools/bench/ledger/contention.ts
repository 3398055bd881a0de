/** Many calls at once on one wallet and one key: how often they are in each other's way, and whether the books stay exact. */
import { createLedger } from '../../../lambdas/ledger/store/create-ledger.ts';
import { closedLoop } from '../harness/load/loops.ts';
import type { BenchMetric } from '../harness/report.ts';
import { auditOf, openAccount, SILENT, UNMEASURED } from '../harness/service/account.ts';
import type { Database } from '../harness/service/database.ts';
import { type RecordedRequest, Traffic } from '../harness/service/traffic.ts';
import { median } from '../harness/statistics.ts';
import { COST, callOf, OUTCOME } from './call.ts';

const CONCURRENT_CALLS = [1, 8, 64];

/** Four turns of the most concurrent case: more would say no more and take seconds. */
const CALLS = 256;

export async function measureContention(database: Database): Promise<readonly BenchMetric[]> {
  const metrics: BenchMetric[] = [];
  for (const concurrency of CONCURRENT_CALLS) metrics.push(...(await measureAt(concurrency, database)));
  return metrics;
}

async function measureAt(
  concurrency: number,
  { connect, environment }: Database,
): Promise<readonly BenchMetric[]> {
  const clients = connect();
  const traffic = new Traffic(clients);
  const account = await openAccount(clients, environment);
  const { ledger, wallets } = createLedger({ clients, environment, log: SILENT, measure: UNMEASURED });
  const call = async () => {
    const startedMs = performance.now();
    await (await ledger.admit(callOf(account))).settle(OUTCOME);
    return performance.now() - startedMs;
  };
  await call();
  traffic.take();
  let begun = 0;
  const load = await closedLoop(concurrency, () => begun++ < CALLS, call);
  const { recordedRequests, rejected, writeUnits, repeats } = traffic.take();
  const wallet = await wallets.read(account.accountId);
  const totals = await auditOf(clients, environment, account.accountId);
  const expected = COST * BigInt(CALLS + 1);
  const difference = totals.usage > expected ? totals.usage - expected : expected - totals.usage;
  const at = `${concurrency} at once`;
  const open = wallet?.holds.length ?? Number.NaN;
  return [
    { name: `${at}: throughput`, value: CALLS / load.seconds, unit: 'calls/s' },
    { name: `${at}: admit and settle`, value: median(load.calls), unit: 'ms' },
    { name: `${at}: write units`, value: writeUnits / CALLS, unit: 'a call' },
    { name: `${at}: conditional failures`, value: rejected / CALLS, unit: 'a call' },
    {
      name: `${at}: repeated key updates`,
      value: beyondTwo(recordedRequests, environment.KEYS_TABLE),
      unit: 'a call',
    },
    { name: `${at}: requests the SDK repeated`, value: repeats / CALLS, unit: 'a call' },
    { name: `${at}: holds left open`, value: open, unit: '', most: 0 },
    { name: `${at}: usage not as settled`, value: Number(difference), unit: 'nano-USD', most: 0 },
    { name: `${at}: drift of the books`, value: Number(totals.drift), unit: 'nano-USD', most: 0 },
  ];
}

/** A call charges its key once and corrects it once; what is beyond that was tried again. */
function beyondTwo(requests: readonly RecordedRequest[], table: string | undefined): number {
  return requests.filter(({ input }) => input.TableName === table).length / CALLS - 2;
}
