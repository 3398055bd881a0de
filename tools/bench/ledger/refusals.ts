/** Write units of a call that the ledger refuses, for the first time and again. */
import type { Policy } from '../../../lambdas/access/core/keys/policy.ts';
import { createLedger } from '../../../lambdas/ledger/store/create-ledger.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import type { Database } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { openAccount, SILENT, UNLIMITED, UNMEASURED } from '../harness/service/account.ts';
import { Traffic } from '../harness/service/traffic.ts';
import { callOf, HELD_AMOUNT, waitForQuietMinute } from './call.ts';

/** A few calls take well under a second, and must not straddle two minutes. */
const NEEDED_MS = 3_000;

export const measureRefusals = async (database: Database): Promise<readonly BenchMetric[]> => [
  ...(await costOfRejected('its key', database, { ...UNLIMITED, daily_usd: 0n }, 1_000_000n)),
  ...(await costOfRejected('its wallet', database, UNLIMITED, HELD_AMOUNT - 1n)),
];

async function costOfRejected(
  by: string,
  { connect, environment }: Database,
  policy: Policy,
  credit: NanoUsd,
): Promise<readonly BenchMetric[]> {
  const clients = connect();
  const traffic = new Traffic(clients);
  const { ledger, gate } = createLedger({ clients, environment, log: SILENT, measure: UNMEASURED });
  const account = await openAccount(clients, environment, policy, credit);
  await waitForQuietMinute(NEEDED_MS);
  await gate.touch(account.key);
  const attempt = async () => {
    traffic.take();
    const admitted = await ledger.admit(callOf(account)).catch(() => undefined);
    if (admitted !== undefined) throw new Error(`a call was not refused by ${by}`);
    return traffic.take();
  };
  const [first, again] = [await attempt(), await attempt()];
  const [name, unit] = [`ledger: refused by ${by}`, 'write units'];
  const note = 'with the undoing of what the other item granted; a refused write counts as 1 unit';
  return [
    { name: `${name}, first time`, value: first.writeUnits, unit, note },
    { name: `${name}, remembered`, value: again.writeUnits, unit, most: 0 },
  ];
}
