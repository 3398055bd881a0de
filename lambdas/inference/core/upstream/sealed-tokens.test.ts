import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';
import { signaturesOf } from './sealed-tokens.ts';

const sealedTokens = createSealedTokens({ current: 'pepper' }, () => 0);
const mine = sealedTokens('acc_1');

describe('a signature', () => {
  it('opens for the route that created it, whatever the signature, and for no other', () => {
    const id = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(id, id, fc.string(), (route, other, signatureText) => {
        const sealed = signaturesOf(mine, route).seal(signatureText);
        expect(signaturesOf(mine, route).open(sealed)).toBe(signatureText);
        expect(signaturesOf(mine, other).open(sealed)).toBe(other === route ? signatureText : undefined);
      }),
    );
  });

  it('stays unopened if a vendor created it and it is no sealed token', () => {
    expect(signaturesOf(mine, 'route').open('EqQBCgIYAhIM')).toBeUndefined();
    expect(signaturesOf(mine, 'route').open(mine.seal('items', '["route","proof"]'))).toBeUndefined();
  });
});
