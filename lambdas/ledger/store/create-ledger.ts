/** The ledger on DynamoDB. */

import { createKeyGate } from '../../access/store/keys/key-store.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requirePositiveInteger, VARIABLES } from '../../platform/contract/environment.ts';
import { DIMENSIONS, METRICS } from '../../platform/contract/metrics.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { toMetric } from '../../platform/core/money.ts';
import type { Log, Measure, Measurement } from '../../platform/core/ports.ts';
import { createMeasure } from '../../platform/system/metrics.ts';
import { systemAfter, systemClock } from '../../platform/system/system.ts';
import { type LeasedCalls, Ledger } from '../core/admission.ts';
import type { KeySpend } from '../core/cap-repair.ts';
import { KeyCheck } from '../core/key-check.ts';
import type { UnbilledStore } from '../core/ports.ts';
import { Recovery } from '../core/recovery.ts';
import type { SettlementListener } from '../core/settlement.ts';
import type { UsageRecord } from '../core/usage-record.ts';
import { createUsageStore } from './usage-store.ts';
import { createWalletStore } from './wallet/store.ts';

export interface LedgerOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Counts usage beyond the bound of its call. */
  readonly unbilled?: UnbilledStore;
  /** Reads the spend by which caps are repaired; absent where no calls are admitted. */
  readonly spend?: KeySpend;
  /** Returns the leases of a process that serves many calls at once. */
  readonly leased?: (() => LeasedCalls | undefined) | undefined;
  /** Receives the metrics of each settled call; writes to standard output when absent. */
  readonly measure?: Measure;
}

/** The ledger and its stores, from the tables that the environment names. */
export function createLedger(options: LedgerOptions) {
  const { clients, environment, log, unbilled, spend, leased, measure = createMeasure() } = options;
  const clock = systemClock;
  const { gate, keys } = createKeyGate({ clients, environment });
  const wallets = createWalletStore(clients, requireTable(environment, 'wallets'), {
    onDrift(accountId, drift) {
      log.error('a wallet does not add up', { accountId, drift: String(drift) });
      measure({ values: { [METRICS.auditDrift]: toMetric(drift) } });
    },
  });
  const usage = createUsageStore(clients.client, requireTable(environment, 'usage'));
  const keyCheck = new KeyCheck({ keys, wallets, leases: () => leased?.()?.leases, clock });
  const recovery = new Recovery({ keys, wallets, usage, clock, log });
  const onSettled: SettlementListener = (record) => measure(measuredCall(record));
  const holdTtlSeconds = requirePositiveInteger(environment, VARIABLES.holdTtlSeconds);
  const ledger = new Ledger({
    keys,
    keyCheck,
    wallets,
    usage,
    unbilled,
    recovery,
    leased,
    spend,
    clock,
    after: systemAfter,
    log,
    onSettled,
    holdTtlSeconds,
  });
  return { ledger, gate, keys, keyCheck, wallets, usage, recovery, onSettled };
}

/** A settled call as metrics. */
export function measuredCall(record: UsageRecord): Measurement {
  const { unit, inputUnits, outputUnits, cost, unbilled, route } = record;
  return {
    values: {
      [METRICS.callsSettled]: 1,
      [METRICS.cost]: toMetric(cost),
      ...(unit === 'token' ? { [METRICS.inputTokens]: inputUnits, [METRICS.outputTokens]: outputUnits } : {}),
      ...(unbilled === undefined ? {} : { [METRICS.unbilled]: toMetric(unbilled.amount) }),
      ...marginOf(record),
    },
    dimensions: { [DIMENSIONS.route]: route ?? 'none' },
  };
}

/** Returns the operator's margin on a call, or nothing if the catalog does not specify the cost of its route. */
function marginOf({ cost, providerCost }: UsageRecord): Measurement['values'] {
  if (providerCost === undefined) return {};
  const margin = cost - providerCost;
  return {
    [METRICS.providerCost]: toMetric(providerCost),
    [METRICS.margin]: toMetric(margin),
    ...(margin < 0n ? { [METRICS.soldBelowCost]: toMetric(-margin) } : {}),
  };
}
