/** The state that the program of a shared host gives to its endpoints. */
import type { VerifiedKey } from '../../access/core/keys/api-key.ts';
import type { LeasedCalls } from '../../ledger/core/admission.ts';

/** The state of a process that serves many calls at once. Its program sets it before the first call. */
export const sharedHost = {
  /** Ends the calls that are open when the host stops. */
  endOfCalls: new AbortController(),
  leased: undefined as LeasedCalls | undefined,
  /** Throws 503 for an account without credit. A function, whose requests are complete, never needs it. */
  requireCredit: async (_key: VerifiedKey): Promise<unknown> => undefined,
};
