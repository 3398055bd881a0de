import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { bytesOf } from '../../platform/dynamodb/item-size.ts';
import type { BillLine, UsageRecord } from '../core/usage-record.ts';
import { decodeBasis, decodeRecord, encodeBasis, encodeRecord } from './usage-store.ts';

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
    expect(sizeOf(LARGE)).toBeLessThan(1_024);
    expect(decodeRecord(encodeRecord(LARGE))).toEqual(LARGE);
  });

  it('costs no further write unit by the progress of its call, whatever the lengths of ids', () => {
    const units = (record: UsageRecord) => Math.ceil(sizeOf(record) / 1_024);
    for (const idLength of [25, 64, 96, 128])
      for (const length of [1, 8, 40, 128]) {
        const [model, route] = ['m', 'r'].map((id) => id.padEnd(idLength, 'x'));
        const routes = Array.from({ length: 12 }, (_, index) => `${index}`.padStart(length, 'r'));
        const routeAttempts = [
          ...routes.map((id) => ({
            route: id,
            startMs: 123_456,
            durationMs: 123_456,
            failure: 'interrupted',
          })),
          { route: route ?? '', startMs: 899_999, durationMs: 899_999 },
        ];
        const record = { ...LARGE, model: model ?? '', route: route ?? '', routeAttempts, attempts: 13 };
        const { routeAttempts: kept = [], durationMs } = decodeRecord(encodeRecord(record));
        expect(kept).toEqual(kept.length === 0 ? [] : routeAttempts.slice(-kept.length));
        if (idLength === 25) expect([kept.length > 0, durationMs]).toEqual([true, record.durationMs]);
        const { traceparent, durationMs: _ms, routeAttempts: _attempts, ...older } = record;
        expect([idLength, length, units(record)]).toEqual([idLength, length, units(older)]);
      }
  });
});

const items = ['cache_write_5m', 'cache_write_1h', 'cached_input', 'input', 'reasoning_output', 'output'];

const LARGE: UsageRecord = {
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
  heldAmount: 123_456_789_012n,
  attempts: 3,
  firstTokenMs: 123_456,
  durationMs: 899_999,
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  routeAttempts: [
    { route: 'bedrock-claude-sonnet-4-5-messages', startMs: 3, durationMs: 400, failure: '429' },
    { route: 'anthropic-claude-sonnet-4-5', startMs: 410, durationMs: 15_000, failure: 'timeout' },
    { route: 'bedrock-claude-sonnet-4-5', startMs: 15_420, durationMs: 884_579 },
  ],
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

/** The size of a record with the mark of its writer and the time of a replay. */
const sizeOf = (record: UsageRecord): number =>
  bytesOf({ ...encodeRecord(record), write_id: { S: '0'.repeat(36) }, replayed: { N: '1784116801' } });
