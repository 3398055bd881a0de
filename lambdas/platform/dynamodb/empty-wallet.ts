/** The item of a wallet, or of a shard of one, with nothing in it: who opens an account writes it, the ledger reads it. */
import { type Item, map, number, text } from './attribute-values.ts';

/** Its map of holds exists, because the first hold is written into it. */
export const emptyWallet = (walletId: string): Item => ({
  wallet_id: text(walletId),
  balance: number(0),
  holds: map({}),
  spent: number(0),
  received: number(0),
});
