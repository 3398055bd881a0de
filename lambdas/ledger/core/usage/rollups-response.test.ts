import { describe, expect, it } from '@jest/globals';
import { spanOf, type UsageRollupsQuery, usageRollupsBody, usageRollupsQuery } from './rollups-response.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Twenty minutes past an hour that is no day's first. */
const NOW_MS = Date.UTC(2026, 6, 15, 9, 20);
const HOUR = Math.floor(NOW_MS / HOUR_MS);
const DAY = Math.floor(NOW_MS / DAY_MS) * 24;

const query = (fields: Partial<UsageRollupsQuery> = {}): UsageRollupsQuery => ({
  interval: 'day',
  ...fields,
});

describe('the span of a query', () => {
  it.each([
    [query(), { start: DAY - 30 * 24, end: DAY + 24 }],
    [query({ interval: 'hour' }), { start: HOUR - 24, end: HOUR + 1 }],
    [query({ start: NOW_MS - 1, end: NOW_MS }), { start: DAY, end: DAY + 24 }],
    [query({ interval: 'hour', start: NOW_MS - HOUR_MS }), { start: HOUR - 1, end: HOUR + 1 }],
    [query({ interval: 'hour', start: NOW_MS - 7 * DAY_MS }), { start: HOUR - 7 * 24, end: HOUR + 1 }],
    [query({ start: NOW_MS - 92 * DAY_MS }), { start: DAY - 92 * 24, end: DAY + 24 }],
  ])('covers whole intervals: %j', (request, span) => {
    expect(spanOf(request, NOW_MS)).toEqual(span);
  });

  it.each([
    ['end', query({ start: NOW_MS, end: NOW_MS })],
    ['end', query({ start: NOW_MS + 1, end: NOW_MS })],
    ['end', query({ start: NOW_MS })],
    ['start', query({ start: NOW_MS - 92 * DAY_MS - 1 })],
    ['start', query({ interval: 'hour', start: NOW_MS - 7 * DAY_MS - 1 })],
  ])('fails with 400 for its %s if it is empty or too long: %j', (param, request) => {
    expect(() => spanOf(request, NOW_MS)).toThrow(expect.objectContaining({ status: 400, param }));
  });
});

describe('the groups of a query', () => {
  it.each([
    ['model', ['model']],
    ['model,kind', ['model', 'kind']],
  ])('pass validation if there are at most two, each once: %s', (text, groups) => {
    expect(usageRollupsQuery.parse({ group_by: text }).group_by).toEqual(groups);
  });

  it.each(['model,model', 'model,kind,status', 'route', ''])('fail validation as %j', (text) => {
    expect(usageRollupsQuery.safeParse({ group_by: text }).success).toBe(false);
  });
});

describe('the usage rollups in a response', () => {
  const row = (hour: number, model: string, cost: bigint) => ({
    hour,
    model,
    keyId: 'key_1',
    kind: 'chat' as const,
    status: 'completed' as const,
    calls: 1,
    inputUnits: 1.1,
    cachedUnits: 0,
    outputUnits: 2,
    cost,
  });
  const rows = [row(DAY + 25, 'b', 3n), row(DAY + 1, 'a', 1n), row(DAY + 2, 'a', 5n), row(DAY + 1, 'b', 7n)];

  it('contain each interval and group, the oldest first, and the total of all', () => {
    const body = usageRollupsBody({ rows, complete: true }, query({ group_by: ['model'] }), 1);
    expect(body.data.map(({ start, model, calls }) => [start, model, calls])).toEqual([
      [DAY * 3600, 'a', 2],
      [DAY * 3600, 'b', 1],
      [(DAY + 24) * 3600, 'b', 1],
    ]);
    expect(body.data[0]).toMatchObject({ input_units: 2.2, output_units: 4 });
    expect(JSON.stringify(body.total)).toBe('{"calls":4,"cost":0.000000016}');
    expect(Object.keys(body.data[0] ?? {})).not.toContain('api_key');
  });
});
