/** The sure settlement that a transcription needs beyond routes and ledger. */
import type { Receipt } from '../../paid-endpoint.ts';
import type { SettlementOrder } from './order.ts';

export interface Settlements {
  /**
   * Settles a call by a workflow that continues if this process crashes. The same order again changes nothing. Throws
   * if it is unknown whether the call is settled.
   */
  settle(order: SettlementOrder): Promise<Receipt>;
}
