/** The leases of a process that serves many calls at once, from the tables that the environment names. */
import { createKeyLeases } from '../../access/store/key-leases.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import {
  requirePositiveInteger,
  STREAM_TIMEOUT_SECONDS,
  VARIABLES,
} from '../../platform/contract/environment.ts';
import { METRICS } from '../../platform/contract/metrics.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { toMetric } from '../../platform/core/money.ts';
import type { Clock, Log, Measure } from '../../platform/core/ports.ts';
import {
  systemAfter,
  systemClock,
  systemRandom,
  systemUlid,
  systemUptime,
} from '../../platform/system/system.ts';
import { Leases } from '../core/leases/leases.ts';
import type { LeaseStores } from '../core/leases/ports.ts';
import { RecordBatches } from '../core/leases/record-batches.ts';
import { LeaseRecovery } from '../core/leases/recovery.ts';
import { leaseTimes } from '../core/leases/times.ts';
import type { Recovery } from '../core/recovery.ts';
import { createLedger, type LeasedCalls } from './create-ledger.ts';
import { createLeaseRecords } from './lease-records.ts';
import { WalletHolds } from './wallet/holds.ts';
import { DynamoWalletLeases } from './wallet/leases.ts';

export interface LeaseOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly measure: Measure;
}

function createStores({ clients, environment }: Pick<LeaseOptions, 'clients' | 'environment'>): LeaseStores {
  const wallets = requireTable(environment, 'wallets');
  const holds = new WalletHolds(clients, wallets, systemRandom);
  return {
    wallets: new DynamoWalletLeases(clients, wallets, holds),
    keys: createKeyLeases({ clients, table: requireTable(environment, 'keys'), clock: systemClock }),
  };
}

interface LeaseRecoveryOptions extends Omit<LeaseOptions, 'measure'> {
  /** The time of day when absent. */
  readonly clock?: Clock;
}

/** Recovers leases whose process died. */
export function createLeaseRecovery({
  clock = systemClock,
  log,
  ...options
}: LeaseRecoveryOptions): LeaseRecovery {
  const records = createLeaseRecords(options.clients, requireTable(options.environment, 'usage'));
  return new LeaseRecovery({ stores: createStores(options), records, clock, log });
}

/** Recovers holds and leases of calls whose process died. */
export const createRecovery = (options: LeaseOptions): Recovery =>
  createLedger({ ...options, leaseRecovery: createLeaseRecovery(options) }).recovery;

export function createLeasedCalls({ clients, environment, log, measure }: LeaseOptions): LeasedCalls {
  const store = createLeaseRecords(clients, requireTable(environment, 'usage'));
  const stores = createStores({ clients, environment });
  const recovery = new LeaseRecovery({ stores, records: store, clock: systemClock, log });
  return {
    leases: new Leases({
      stores,
      clock: systemClock,
      uptime: systemUptime,
      after: systemAfter,
      times: leaseTimes(
        STREAM_TIMEOUT_SECONDS,
        requirePositiveInteger(environment, VARIABLES.holdTtlSeconds),
      ),
      log,
      recovery,
      ulid: systemUlid,
    }),
    records: new RecordBatches(store, { clock: systemClock, after: systemAfter, log }),
    recovery,
    onLost: (cost: bigint) => measure({ values: { [METRICS.unbilled]: toMetric(cost) } }),
  };
}
