import { describe, expect, it } from '@jest/globals';
import { CashLaws } from './cash-laws.ts';
import type { MarketState } from './market-state.ts';

interface Observation {
  readonly entries: readonly { readonly kind: string; readonly amount: bigint; readonly cash: bigint }[];
  readonly spentAmount?: bigint;
  readonly held?: bigint;
  readonly isSold?: true;
}

/** Observes an account after each step; returns what its last step breaks. */
function broken(...steps: readonly Observation[]): readonly string[] {
  const laws = new CashLaws();
  let entries: readonly object[] = [];
  let last: readonly string[] = [];
  for (const { entries: added, spentAmount = 0n, held = 0n, isSold } of steps) {
    entries = [
      ...entries,
      ...added.map((each, at) => ({ ...each, id: `${entries.length + at}`, accountId: 'a' })),
    ];
    const netCash = entries.reduce((sum, each) => sum + (each as { cash: bigint }).cash, 0n);
    const holds = held === 0n ? [] : [{ id: 'req_1', amount: held }];
    const sales = isSold ? [{ payable: true, chargeId: 'pur_1', buyerId: 'a' }] : [];
    const wallets = [{ walletId: 'a', netCash, spentAmount, holds }];
    last = laws.broken({ wallets, entries, sales } as unknown as MarketState);
  }
  return last;
}

const paid = { kind: 'top_up', amount: 5n, cash: 5n };
const granted = { kind: 'top_up', amount: 5n, cash: 0n };
const bought = { kind: 'purchase', amount: 5n, cash: -5n };
const BROKEN = ['11: what was used up has paid for a sale'];

describe('the law of payable money', () => {
  it('breaks if a grant follows the calls that have used up the payment', () => {
    const used = { entries: [], spentAmount: 5n };
    const sold = { entries: [bought], spentAmount: 5n, isSold: true } as const;
    expect(broken({ entries: [paid] }, used, { ...used, entries: [granted] }, sold)).toEqual(BROKEN);
    const opened = { entries: [], held: 5n };
    expect(broken({ entries: [paid] }, { entries: [granted] }, opened, used, sold)).toEqual([]);
  });

  it('breaks if the grant comes while the call is open, and not if the call costs nothing', () => {
    const opened = [{ entries: [paid] }, { entries: [], held: 5n }, { entries: [granted], held: 5n }];
    const ended = (spentAmount: bigint) =>
      [...opened, { entries: [], spentAmount }, { entries: [bought], spentAmount, isSold: true }] as const;
    expect(broken(...ended(5n))).toEqual(BROKEN);
    expect(broken(...ended(0n))).toEqual([]);
  });

  it('breaks if a refund of what a grant has paid for follows', () => {
    const unpayable = { kind: 'purchase', amount: 6n, cash: 0n };
    const refund = { kind: 'purchase_refund', amount: 6n, cash: 0n };
    const steps = [paid, granted, unpayable, refund].map((each) => ({ entries: [each] }));
    expect(broken(...steps, { entries: [bought], isSold: true })).toEqual(BROKEN);
  });
});
