/** The proof that the books balance: what came in equals what is left, what is held and what was spent. */
import type { NanoUsd } from '../money.ts';

export interface Totals {
  readonly topUps: NanoUsd;
  readonly balances: NanoUsd;
  readonly held: NanoUsd;
  readonly usage: NanoUsd;
  /** Apart from the books: cost that was never charged. */
  readonly writtenOff: NanoUsd;
}

/** Everything that was ever booked, read in any order; exact at rest. */
export interface LedgerScan {
  topUps(): AsyncIterable<NanoUsd>;
  wallets(): AsyncIterable<{ readonly balance: NanoUsd; readonly held: NanoUsd }>;
  /** Of one account, or of all. */
  usage(accountId?: string): AsyncIterable<{ readonly cost: NanoUsd; readonly writtenOff: NanoUsd }>;
}

export interface Audit extends Totals {
  readonly exact: boolean;
  /** `topUps - balances - held - usage`: zero when the books balance. */
  readonly drift: NanoUsd;
}

export async function audit(scan: LedgerScan): Promise<Audit> {
  let [topUps, balances, held, usage, writtenOff, overdrawn] = [0n, 0n, 0n, 0n, 0n, false];
  for await (const amount of scan.topUps()) topUps += amount;
  for await (const wallet of scan.wallets()) {
    balances += wallet.balance;
    held += wallet.held;
    overdrawn ||= wallet.balance < 0n;
  }
  for await (const record of scan.usage()) {
    usage += record.cost;
    writtenOff += record.writtenOff;
  }
  const drift = topUps - balances - held - usage;
  return { topUps, balances, held, usage, writtenOff, drift, exact: drift === 0n && !overdrawn };
}
