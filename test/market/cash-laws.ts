/**
 * A law of the instant at which a sale is recorded as payable: what its buyer has paid in covers it, less calls and
 * purchases that no earlier grant covered.
 */
import { changeOf } from '../../lambdas/ledger/core/ledger-entry.ts';
import type { Shard } from '../../lambdas/ledger/store/wallet/item.ts';
import { greatest, least, type NanoUsd } from '../../lambdas/platform/core/money.ts';
import type { MarketState } from './market-state.ts';

type StoredEntry = MarketState['entries'][number];

export class CashLaws {
  readonly #accounts = new Map<string, ObservedAccount>();
  readonly #payable = new Set<string>();

  broken({ wallets, entries, sales }: MarketState): readonly string[] {
    const sold = sales.filter(({ payable, chargeId }) => payable && !this.#payable.has(chargeId));
    for (const { chargeId } of sold) this.#payable.add(chargeId);
    return wallets.flatMap((wallet) => {
      const { walletId, netCash } = wallet;
      const account = this.#accounts.get(walletId) ?? new ObservedAccount();
      this.#accounts.set(walletId, account);
      const { usedUp, isReversed } = account.observe(
        wallet,
        entries.filter(({ accountId }) => accountId === walletId),
      );
      const isSold = sold.some(({ buyerId }) => buyerId === walletId);
      return isSold && !isReversed && netCash < usedUp ? ['11: what was used up has paid for a sale'] : [];
    });
  }
}

/** An account of which one write is seen after the other. Where several are, the grants among them are the first. */
class ObservedAccount {
  readonly #entries = new Set<string>();
  readonly #covers = new Map<string, NanoUsd>();
  #spent = 0n;
  #grants = 0n;
  #usedUp = 0n;

  observe({ holds, spentAmount }: Shard, entries: readonly StoredEntry[]) {
    const added = entries.filter(({ kind, id }) => !this.#entries.has(`${kind}#${id}`));
    for (const { kind, id } of added) this.#entries.add(`${kind}#${id}`);
    const granted = added.filter(({ cash }) => cash === 0n).map(changeOf);
    for (const change of granted) if (change > 0n) this.#grants += change;
    for (const change of granted) if (change < 0n) this.#usedUp -= change + this.#cover(-change);
    for (const { id, amount } of holds) if (!this.#covers.has(id)) this.#covers.set(id, this.#cover(amount));
    this.#end(new Set(holds.map(({ id }) => id)), spentAmount);
    return { usedUp: this.#usedUp, isReversed: added.some(({ kind }) => kind === 'refund') };
  }

  /** Takes the part of an amount that grants cover. */
  #cover(amount: NanoUsd): NanoUsd {
    const covered = least(this.#grants, amount);
    this.#grants -= covered;
    return covered;
  }

  #end(open: ReadonlySet<string>, spentAmount: NanoUsd): void {
    let cover = 0n;
    for (const [id, covered] of this.#covers) {
      if (open.has(id)) continue;
      cover += covered;
      this.#covers.delete(id);
    }
    const spent = spentAmount - this.#spent;
    this.#spent = spentAmount;
    this.#usedUp += greatest(spent - cover, 0n);
    this.#grants += greatest(cover - spent, 0n);
  }
}
