/** What a paid call asks of the ledger. */
import type { VerifiedKey } from '../access/api-key.ts';
import type { CallScope } from '../access/key-state.ts';
import type { Offers } from './offers/offer.ts';

export interface CallRequest {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly scope: CallScope;
  /** What it may be admitted for. */
  readonly offers: Offers;
}
