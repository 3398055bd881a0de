/** The leases of a process that serves many calls at once, from the tables that the environment names. */
import type { DynamoClients } from '../../platform/aws/clients.ts';
import {
  requirePositiveInteger,
  STREAM_TIMEOUT_SECONDS,
  VARIABLES,
} from '../../platform/contract/environment.ts';
import { METRICS } from '../../platform/contract/metrics.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { toMetric } from '../../platform/core/money.ts';
import type { Log, Measure } from '../../platform/core/ports.ts';
import { systemAfter, systemClock, systemUlid, systemUptime } from '../../platform/system/system.ts';
import type { LeasedCalls } from '../core/admission.ts';
import { leaseTimes } from '../core/lease-times.ts';
import { Leases } from '../core/leases/leases.ts';
import { RecordBatches } from '../core/leases/record-batches.ts';
import { createLedger } from './create-ledger.ts';
import { createRecordStore } from './record-batches.ts';

export interface LeaseOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly measure: Measure;
}

export function createLeasedCalls({ clients, environment, log, measure }: LeaseOptions): LeasedCalls {
  const { keys, wallets, recovery } = createLedger({ clients, environment, log, measure });
  const holdTtlSeconds = requirePositiveInteger(environment, VARIABLES.holdTtlSeconds);
  const world = { clock: systemClock, after: systemAfter, log };
  return {
    leases: new Leases({
      ...world,
      keys,
      wallets,
      recovery,
      uptime: systemUptime,
      times: leaseTimes(STREAM_TIMEOUT_SECONDS, holdTtlSeconds),
      ulid: systemUlid,
    }),
    records: new RecordBatches(createRecordStore(clients, requireTable(environment, 'usage')), world),
    onLost: (cost: bigint) => measure({ values: { [METRICS.unbilled]: toMetric(cost) } }),
  };
}
