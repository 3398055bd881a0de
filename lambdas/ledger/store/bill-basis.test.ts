import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import type { BillLine, UsageRecord } from '../core/usage-record.ts';
import { decodeBasis, encodeBasis, encodeRecord } from './usage-store.ts';

const line: fc.Arbitrary<BillLine> = fc.record({
  item: fc.stringMatching(/^[a-z][a-z0-9_:*@/-]{0,40}$/),
  quantity: fc.oneof(
    fc.integer({ min: 1, max: 10_000_000 }),
    fc.integer({ min: 1, max: 10_000_000 }).map((ms) => ms / 1_000),
  ),
  price: fc.bigInt({ min: 0n, max: 10n ** 18n }),
  per: fc.constantFrom(1, 60, 3_600, 1_000_000),
});

describe('the stored basis of a bill', () => {
  it('reads back unchanged, for any item names', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
        const basis = {
          lines,
          catalog: 'v',
          serviceTier: 'priority',
          region: 'us',
          providerCost: 0n,
        };
        expect(decodeBasis(encodeBasis(basis))).toEqual(basis);
      }),
    );
  });

  it('decodes to an empty basis if the record contains none', () => {
    expect(decodeBasis(encodeBasis({}))).toEqual({});
  });

  it('fails to decode if the text is not a list of lines', () => {
    expect(() => decodeBasis({ lines: { S: 'input*1' } })).toThrow('cannot be read');
  });

  it('leaves the record of a call with cache, reasoning, searches and a tier within one write unit', () => {
    const items = ['cache_write_5m', 'cache_write_1h', 'cached_input', 'input', 'reasoning_output', 'output'];
    const record: UsageRecord = {
      id: `req_${'0'.repeat(26)}`,
      attempt: '0'.repeat(36),
      keyId: `key_${'0'.repeat(26)}`,
      accountId: `acc_${'0'.repeat(26)}`,
      created: 1_784_116_800,
      model: 'anthropic/claude-sonnet-4.5',
      kind: 'chat',
      inputUnits: 1_000_000,
      cachedUnits: 900_000,
      outputUnits: 128_000,
      unit: 'token',
      cost: 123_456_789_012n,
      unbilled: { amount: 123_456_789n, factor: 123.456 },
      estimated: true,
      route: 'bedrock-claude-sonnet-4-5',
      status: 'completed',
      lines: [
        ...items.map((item) => ({ item, quantity: 900_000, price: 15_000_000_000n, per: 1_000_000 })),
        { item: 'feature:web_search', quantity: 10, price: 10_000_000n, per: 1 },
      ],
      waived: 123_456_789n,
      catalog: '0123456789abcdef',
      serviceTier: 'priority',
      region: 'us',
      providerCost: 123_456_789_012n,
    };
    expect(bytesOf({ ...encodeRecord(record), write_id: { S: '0'.repeat(36) } })).toBeLessThan(1_024);
  });
});

/** At least the size of an item (Amazon DynamoDB developer guide, Item sizes and formats). */
const bytesOf = (item: ReturnType<typeof encodeRecord>): number =>
  Object.entries(item).reduce((sum, [name, value]) => {
    const [content] = Object.values(value) as unknown[];
    return sum + Buffer.byteLength(name) + (typeof content === 'string' ? Buffer.byteLength(content) : 1);
  }, 0);
