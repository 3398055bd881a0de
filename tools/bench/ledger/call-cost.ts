/** Rounds, requests and write units of one uncontended call of the ledger, and of one that is refused. */

import type { Ledger } from '../../../lambdas/ledger/core/admission.ts';
import { createLedger } from '../../../lambdas/ledger/store/create-ledger.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import type { BenchMetric } from '../harness/report.ts';
import { type BenchAccount, openAccount, SILENT, UNLIMITED, UNMEASURED } from '../harness/service/account.ts';
import type { Database } from '../harness/service/database.ts';
import { Traffic } from '../harness/service/traffic.ts';
import { callOf, OUTCOME, waitForQuietMinute } from './call.ts';

/** The design's budget of a keyed call. */
export const ROUNDS_BEFORE = 1;
export const ROUNDS_AFTER = 2;
export const WRITE_UNITS = 5;

/** A dozen calls take well under a second, and must not straddle two minutes. */
const NEEDED_MS = 3_000;

export async function measureCallCost(database: Database): Promise<readonly BenchMetric[]> {
  const clients = database.connect();
  const traffic = new Traffic(clients);
  const { ledger, gate } = createLedger({
    clients,
    environment: database.environment,
    log: SILENT,
    measure: UNMEASURED,
  });
  const open = (credit: NanoUsd, daily?: NanoUsd) =>
    openAccount(clients, database.environment, {
      credit,
      policy: { ...UNLIMITED, ...(daily === undefined ? {} : { daily_usd: daily }) },
    });
  const completedCall = await open(1_000_000n);
  const capped = await open(1_000_000n, 0n);
  const poor = await open(0n);
  await waitForQuietMinute(NEEDED_MS);
  for (const { key } of [capped, poor]) await gate.touch(key);
  return [
    ...(await costOfCompleted(ledger, traffic, completedCall)),
    ...(await costOfRejected('its key', ledger, traffic, capped)),
    ...(await costOfRejected('its wallet', ledger, traffic, poor)),
  ];
}

async function costOfCompleted(
  ledger: Ledger,
  traffic: Traffic,
  account: BenchAccount,
): Promise<readonly BenchMetric[]> {
  traffic.take();
  const first = await ledger.admit(callOf(account));
  const fresh = traffic.take();
  await first.settle(OUTCOME);
  traffic.take();
  const admission = await ledger.admit(callOf(account));
  const before = traffic.take();
  await admission.settle(OUTCOME);
  const after = traffic.take();
  const unit = 'rounds';
  return [
    { name: 'ledger: before the upstream', value: before.rounds, unit, most: ROUNDS_BEFORE },
    { name: 'ledger: before it, first call of a minute', value: fresh.rounds, unit, most: ROUNDS_BEFORE },
    { name: 'ledger: after the upstream', value: after.rounds, unit, most: ROUNDS_AFTER },
    {
      name: 'ledger: a call',
      value: before.writeUnits + after.writeUnits,
      unit: 'write units',
      most: WRITE_UNITS,
    },
    { name: 'ledger: a call', value: before.reads + after.reads, unit: 'reads' },
  ];
}

async function costOfRejected(
  by: string,
  ledger: Ledger,
  traffic: Traffic,
  account: BenchAccount,
): Promise<readonly BenchMetric[]> {
  const attempt = async () => {
    traffic.take();
    const admitted = await ledger.admit(callOf(account)).catch(() => undefined);
    if (admitted !== undefined) throw new Error(`a call was not refused by ${by}`);
    return traffic.take();
  };
  const first = await attempt();
  const again = await attempt();
  const name = `ledger: refused by ${by}`;
  return [
    {
      name: `${name}, first time`,
      value: first.writeUnits,
      unit: 'write units',
      note: 'with the undoing of what the other item granted; a refused write counts as 1 unit',
    },
    { name: `${name}, remembered`, value: again.writeUnits, unit: 'write units', most: 0 },
    { name: `${name}, remembered`, value: again.reads, unit: 'reads' },
  ];
}
