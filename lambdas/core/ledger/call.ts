/** What a paid call asks of the ledger. */
import type { VerifiedKey } from '../access/api-key.ts';
import type { CallScope } from '../access/key-state.ts';
import type { NanoUsd } from '../money.ts';

export interface CallRequest {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly scope: CallScope;
  /** The estimate, in tokens, that counts against the key's tokens a minute. */
  readonly tokens: number;
  /** To be held: the worst case the caller allowed, by what is known of the call's content. */
  readonly amount: NanoUsd;
  /** What the call cannot exceed whatever its content; at least `amount`. */
  readonly ceiling: NanoUsd;
}
