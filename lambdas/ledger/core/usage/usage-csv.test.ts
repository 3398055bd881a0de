import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { parseUsd } from '../../../platform/core/money.ts';
import { ACCOUNT, callPlan, keyOf, recordOf } from '../../testing/usage/simulated-usage.ts';
import { textCell } from './csv.ts';
import { callsCsv } from './usage-csv.ts';

describe('usage as CSV', () => {
  it('contains each call once with its exact cost, with at most a page of them in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(callPlan(2, 2), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (plans, page) => {
          const records = plans.map(recordOf).toSorted((a, b) => (a.id > b.id ? -1 : 1));
          const dependencies = {
            keys: {
              some: async () => [keyOf(0), keyOf(1)],
              has: async () => true,
              names: async (ids: readonly string[]) => new Map(ids.map((id) => [id, `=${id}`])),
            },
            usage: {
              list: async ({
                keyId,
                before = '~',
                limit,
              }: {
                keyId: string;
                before?: string;
                limit: number;
              }) => {
                const own = records.filter((record) => record.keyId === keyId && record.id < before);
                const part = own.slice(0, Math.min(limit, page));
                return { records: part, next: part.length < own.length ? part.at(-1)?.id : undefined };
              },
              find: async () => undefined,
            },
          };
          const chunks: string[] = [];
          for await (const chunk of callsCsv(dependencies, ACCOUNT, { limit: 20 })) chunks.push(chunk);
          const [head = '', ...lines] = chunks.join('').trimEnd().split('\r\n');
          const columns = head.split(',');
          const costAt = columns.indexOf('BilledCost');
          const idAt = columns.indexOf('x_RequestId');
          const cells = lines.map((line) => line.split(','));
          const nameAt = columns.indexOf('x_ApiKeyName');
          expect(cells.map((row) => [row[idAt], parseUsd(row[costAt] ?? ''), row[nameAt]])).toEqual(
            records.map(({ id, cost, keyId }) => [id, cost, `'=${keyId}`]),
          );
        },
      ),
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+a', "'+a"],
    ['-a', "'-a"],
    ['@cf/model', "'@cf/model"],
    ['\t=a', "'\t=a"],
    ['sim/chat', 'sim/chat'],
    ['a,"b"', '"a,""b"""'],
    ['=a,b\n', '"\'=a,b\n"'],
  ])('contains no cell that a spreadsheet runs: %j', (text, cell) => {
    expect(textCell(text)).toBe(cell);
  });
});
