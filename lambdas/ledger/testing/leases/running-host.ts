/** The ledger of a shared host on the real engine, at the time of day. */
import { TABLE_VARIABLES } from '../../../../tools/test-kit/database.ts';
import type { VerifiedKey } from '../../../access/core/keys/api-key.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { createLeasedCalls } from '../../store/create-leases.ts';
import { createLedger } from '../../store/create-ledger.ts';
import { callOf, HOLD_TTL_SECONDS, SILENT } from '../running-ledger.ts';

/** Far longer than leases take to close. */
const CLOSE_MS = 60_000;

export const hostOptions = (clients: DynamoClients) => ({
  clients,
  environment: { ...TABLE_VARIABLES, HOLD_TTL_SECONDS: String(HOLD_TTL_SECONDS) },
  log: SILENT,
  measure: () => {},
});

export function openHost(clients: DynamoClients) {
  const options = hostOptions(clients);
  const leased = createLeasedCalls(options);
  return {
    ...createLedger({ ...options, leased: () => leased }),
    /** Closes all leases; their calls have ended. */
    close: () => leased.leases.stop(CLOSE_MS),
  };
}

/** A call of now. */
export const newCall = (key: VerifiedKey, amount: bigint) => ({
  ...callOf(key, amount),
  requestId: `req_${systemUlid()}`,
});
