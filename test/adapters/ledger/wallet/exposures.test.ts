import { describe, expect, it } from '@jest/globals';
import { Exposures } from '../../../../lambdas/adapters/ledger/wallet/exposures.ts';
import { MAX_HOLDS, type Part } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { ALLOWANCE } from '../../../../lambdas/core/ledger/exposure.ts';

const FIRST = 'acc_1#0';
const OTHER = 'acc_1#1';
const hold = { exposure: 7n };

describe('the exposure of other holds that a hold finds cover for', () => {
  const partOf = (walletId: string, exposure: bigint, balance: bigint): Part =>
    ({ walletId, balance, exposure }) as Part;
  const coverAfter = (walletId: string, exposure: bigint, balance: bigint) => {
    const exposures = new Exposures();
    exposures.remember(partOf(walletId, exposure, balance));
    return exposures.toCover(walletId, hold);
  };

  it('is the allowance in a first part that nothing or little is known of, so that little credit is enough', () => {
    expect(new Exposures().toCover(FIRST, hold)).toBe(ALLOWANCE);
    for (const exposure of [0n, 1n, ALLOWANCE / 2n])
      expect([exposure, coverAfter(FIRST, exposure, ALLOWANCE * 100n)]).toEqual([exposure, ALLOWANCE]);
  });

  it('is more than there is in a first part with much, so that a hold is not tried in vain', () => {
    for (const exposure of [ALLOWANCE / 2n + 1n, ALLOWANCE, ALLOWANCE * 9n])
      for (const balance of [exposure, ALLOWANCE * 100n])
        expect(coverAfter(FIRST, exposure, balance)).toBeGreaterThanOrEqual(exposure + ALLOWANCE);
  });

  it('is, of what is free in a part, at most half beside what there is', () => {
    expect(coverAfter(OTHER, 0n, 1_000n)).toBe(500n);
    expect(coverAfter(OTHER, 400n, 1_000n)).toBe(700n);
    expect(coverAfter(OTHER, 400n, 300n)).toBe(400n);
  });

  it('is that of as many holds as a part takes where nothing is known of one that has no allowance', () => {
    const exposures = new Exposures();
    expect(exposures.toCover(OTHER, hold)).toBe(7n * BigInt(MAX_HOLDS - 1));
    expect(exposures.toCover(OTHER, { exposure: 0n })).toBe(0n);
  });
});
