import { expect, it } from '@jest/globals';
import type { UsageRollupsBody } from './types.ts';
import {
  byKey,
  byModel,
  dayStart,
  daysOf,
  incompleteRollupsDelayMs,
  monthStart,
  spendOfOthers,
} from './usage-rollups.ts';

const NOW = Date.UTC(2026, 10, 3, 23, 59, 59);
const MONTH = Date.UTC(2026, 10, 1) / 1000;
const DAY = 86_400;

const row = (entry: Partial<UsageRollupsBody['data'][number]>): UsageRollupsBody['data'][number] => ({
  start: MONTH,
  calls: 1,
  input_units: 0,
  cached_units: 0,
  output_units: 0,
  cost: 0n,
  ...entry,
});

it('days and months of usage start at midnight UTC', () => {
  expect(monthStart(new Date(NOW))).toBe(MONTH);
  expect(dayStart(NOW / 1000)).toBe(MONTH + 2 * DAY);
  expect(dayStart(NOW / 1000 + 1)).toBe(MONTH + 3 * DAY);
});

it('the usage by day includes every day through today, each with the sum of its rows', () => {
  const data = [
    row({ model: 'a', cost: 2n }),
    row({ model: 'b', cost: 3n }),
    row({ start: MONTH + DAY, cost: 7n }),
  ];
  expect(daysOf({ data }, MONTH, NOW / 1000)).toEqual([
    { start: MONTH, cost: 5n },
    { start: MONTH + DAY, cost: 7n },
    { start: MONTH + 2 * DAY, cost: 0n },
  ]);
});

it('the usage by model totals the days, with the highest cost first', () => {
  const data = [
    row({ model: 'a', cost: 2n }),
    row({ model: null, cost: 4n }),
    row({ start: MONTH + DAY, model: 'a', cost: 3n, calls: 2 }),
  ];
  expect(byModel({ data })).toEqual([
    { model: 'a', cost: 5n, calls: 3 },
    { model: 'unknown', cost: 4n, calls: 1 },
  ]);
});

it('the usage by key totals the month, and today separately, also of the keys that are not listed', () => {
  const today = MONTH + DAY;
  const data = [
    row({ api_key: 'key_a', cost: 2n }),
    row({ start: today, api_key: 'key_a', cost: 5n }),
    row({ start: today, api_key: 'key_b', cost: 9n }),
    row({ api_key: 'key_c', cost: 1n }),
  ];
  const spend = byKey({ data }, today);
  expect(spendOfOthers(spend, ['key_a'])).toEqual({ today: 9n, month: 10n });
  expect([...spend]).toEqual([
    ['key_a', { today: 5n, month: 7n }],
    ['key_b', { today: 9n, month: 9n }],
    ['key_c', { today: 0n, month: 1n }],
  ]);
});

it('the console waits 2 s for incomplete usage rollups, longer after each response, and at most 10 s', () => {
  expect([0, 1, 2, 3, 4, 1000].map(incompleteRollupsDelayMs)).toEqual([
    2_000, 2_000, 4_000, 8_000, 10_000, 10_000,
  ]);
});
