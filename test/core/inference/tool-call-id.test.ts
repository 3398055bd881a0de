import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { legalToolCallId } from '../../../lambdas/core/inference/tool-calls.ts';

describe('an id of a tool call', () => {
  it.each(['toolu_01T1x1fJ34qAmk2tNTrN7Up6', 'call-1', 'a', 'x'.repeat(64)])(
    'stays as it is when legal: %s',
    (id) => {
      expect(legalToolCallId(id, 64)).toBe(id);
    },
  );

  it.each(['functions.get_weather:0', '', 'x'.repeat(65), 'größe', 'a b', 'a\n', 'call|1'])(
    'becomes a legal one, the same each time: %j',
    (id) => {
      const legal = legalToolCallId(id, 64);
      expect(legal).toMatch(/^call_[a-zA-Z0-9_-]{43}$/);
      expect(legalToolCallId(id, 64)).toBe(legal);
      expect(legalToolCallId(legal, 64)).toBe(legal);
    },
  );

  it('is legal and different from every other, whatever the length that a protocol takes', () => {
    const ids = fc.uniqueArray(fc.oneof(fc.string(), fc.string({ minLength: 30, maxLength: 90 })), {
      minLength: 2,
    });
    fc.assert(
      fc.property(ids, fc.constantFrom(40, 64), (all, maxLength) => {
        const legal = all.map((id) => legalToolCallId(id, maxLength));
        for (const id of legal) expect(id).toMatch(new RegExp(`^[a-zA-Z0-9_-]{1,${maxLength}}$`));
        expect(new Set(legal).size).toBe(all.length);
      }),
    );
  });
});
