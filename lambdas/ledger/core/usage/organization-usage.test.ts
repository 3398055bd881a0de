import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { type NanoUsd, parseUsd } from '../../../platform/core/money.ts';
import {
  ACCOUNT,
  callPlan,
  FIRST_MS,
  HOUR_MS,
  keyOf,
  recordOf,
  SimulatedUsage,
} from '../../testing/usage/simulated-usage.ts';
import { ReadingBudget } from './key-reading.ts';
import { type BucketQueryContext, readCostsQuery, readUsageQuery } from './organization-query.ts';
import { costsPage, usagePage } from './organization-usage.ts';

const DAYS = 3;
const FIRST = FIRST_MS / 1000;
const NOW_MS = FIRST_MS + 5 * 24 * HOUR_MS + 1_234_567;
const OF_COMPLETIONS = ['completions', ACCOUNT, undefined];

const requestOf = (query: string) => ({ url: `https://localhost/?${query}` });

const context = (changes: Partial<BucketQueryContext> = {}): BucketQueryContext => ({
  nowMs: NOW_MS,
  subject: OF_COMPLETIONS,
  ...changes,
});

interface Page {
  readonly data: readonly { readonly start_time: number; readonly results: readonly Result[] }[];
  readonly next_page: string | null;
  readonly has_more: boolean;
}

/** Amounts as their text in the JSON. */
interface Result {
  readonly amount: { readonly value: string };
  readonly num_model_requests: number;
  readonly input_tokens?: number;
  readonly seconds?: number;
  readonly model?: string | null;
  readonly line_item?: string | null;
  readonly api_key_id: string | null;
}

const plans = fc.array(callPlan(3, DAYS), { minLength: 1, maxLength: 40 });

const query = fc.record({
  name: fc.constantFrom('costs', 'completions', 'audio_transcriptions', 'images'),
  width: fc.constantFrom('1h', '1d'),
  start: fc.integer({ min: -30, max: DAYS * 24 }).map((hours) => FIRST + hours * 3_600),
  offset: fc.constantFrom(0, 1, 3_599, 86_399),
  hours: fc.option(fc.integer({ min: 1, max: 80 })),
  limit: fc.integer({ min: 1, max: 31 }),
  groups: fc.subarray(['model', 'api_key_id'] as const),
  models: fc.option(fc.subarray(['sim/a', 'sim/b'], { minLength: 1 })),
  keys: fc.option(fc.subarray([0, 1, 2], { minLength: 1 })),
  only: fc.option(fc.constantFrom(0, 1, 2)),
});

const idle = () => new ReadingBudget(1_000);

describe('the buckets of usage and costs', () => {
  it('add up to the records of each group, to the nano-dollar, on the pages of any limit', async () => {
    await fc.assert(
      fc.asyncProperty(plans, query, fc.integer({ min: 0, max: 90 }), async (calls, drawn, passed) => {
        const records = calls.map(recordOf);
        const usage = new SimulatedUsage(records);
        const isCosts = drawn.name === 'costs';
        const width = isCosts ? '1d' : drawn.width;
        const hours = width === '1h' ? 1 : 24;
        const startTime = drawn.start + drawn.offset;
        const end = drawn.hours === null ? undefined : startTime + drawn.hours * 3_600;
        const modelGroup = isCosts ? 'line_item' : 'model';
        const parameters: [string, string][] = [
          ['start_time', String(startTime)],
          ['bucket_width', width],
          ['limit', String(drawn.limit)],
          ...(end === undefined ? [] : [['end_time', String(end)] as [string, string]]),
          ...drawn.groups.map((group): [string, string] => [
            'group_by[]',
            group === 'model' ? modelGroup : group,
          ]),
          ...(drawn.models ?? []).map((model): [string, string] => [
            isCosts ? 'line_items' : 'models',
            model,
          ]),
          ...(drawn.keys ?? []).map((key): [string, string] => ['api_key_ids', keyOf(key)]),
        ];
        const reader = {
          accountId: ACCOUNT,
          keyId: drawn.only === null ? undefined : keyOf(drawn.only),
          headers: {},
        };
        const read = async (page: string | null): Promise<Page> => {
          const all = new URLSearchParams(page === null ? parameters : [...parameters, ['page', page]]);
          const found = { nowMs: usage.nowMs, subject: [drawn.name, reader.keyId] };
          const reading = { ...usage.dependencies(), nowMs: usage.nowMs, budget: idle() };
          const body = isCosts
            ? await costsPage(reading, reader, readCostsQuery(requestOf(String(all)), found))
            : await usagePage(reading, reader, readUsageQuery(requestOf(String(all)), found), drawn.name);
          return JSON.parse(JSON.stringify(body).replaceAll(/"value":([\d.]+)/g, '"value":"$1"'));
        };

        // What is read before is stored in part, and hours close between the two readings.
        usage.nowMs += passed * HOUR_MS;
        await read(null);
        usage.nowMs = NOW_MS;
        const sums = new Map<string, string>();
        const starts: number[] = [];
        for (let page: string | null = null, next = ''; next !== 'none'; page = next) {
          const { data, next_page: following, has_more: hasMore } = await read(page);
          expect([hasMore, data.length <= drawn.limit]).toEqual([following !== null, true]);
          for (const bucket of data) {
            starts.push(bucket.start_time);
            for (const result of bucket.results) {
              const model = (isCosts ? result.line_item : result.model) ?? null;
              const name = JSON.stringify([bucket.start_time, model, result.api_key_id]);
              expect(sums.has(name)).toBe(false);
              sums.set(name, isCosts ? result.amount.value : String(unitsOf(result)));
            }
          }
          next = following ?? 'none';
        }

        const step = hours * 3_600;
        const first = Math.floor(startTime / step) * step;
        const last = Math.min(end ?? Number.POSITIVE_INFINITY, Math.floor(NOW_MS / 1000) + 1);
        expect(starts).toEqual(
          Array.from({ length: Math.max(0, Math.ceil((last - first) / step)) }, (_, at) => first + at * step),
        );
        const kind = drawn.name === 'completions' ? 'chat' : drawn.name === 'images' ? 'image' : 'audio';
        const costs = new Map<string, { cost: NanoUsd; units: number }>();
        for (const { created, model, keyId, cost, inputUnits, kind: own } of records) {
          const start = Math.floor(created / step) * step;
          const isCounted =
            start >= first &&
            start < last &&
            (isCosts || own === kind) &&
            (drawn.models === null || drawn.models.includes(model ?? '')) &&
            (drawn.keys === null || drawn.keys.some((key) => keyOf(key) === keyId)) &&
            (reader.keyId ?? keyId) === keyId;
          if (!isCounted) continue;
          const byModel = drawn.groups.includes('model') ? model : null;
          const name = JSON.stringify([start, byModel, drawn.groups.includes('api_key_id') ? keyId : null]);
          const sum = costs.get(name) ?? { cost: 0n, units: 0 };
          costs.set(name, { cost: sum.cost + cost, units: sum.units + inputUnits });
        }
        expect(
          new Map([...sums].map(([name, sum]) => [name, isCosts ? parseUsd(sum) : Number(sum)])),
        ).toEqual(new Map([...costs].map(([name, { cost, units }]) => [name, isCosts ? cost : units])));
      }),
      { numRuns: 300 },
    );
  });

  it('fail with 503 as long as a call of theirs was not read, instead of a sum without it', async () => {
    const records = [{ ...plan(), startMs: 1 }].map(recordOf);
    const usage = new SimulatedUsage(records);
    usage.nowMs = NOW_MS;
    const reading = { ...usage.dependencies(), nowMs: NOW_MS, budget: new ReadingBudget(0) };
    const drawn = readCostsQuery(requestOf(`start_time=${FIRST}`), context());
    await expect(
      costsPage(reading, { accountId: ACCOUNT, keyId: undefined, headers: {} }, drawn),
    ).rejects.toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }));
  });

  it('end a page early before one that has too many results, which alone is 400', async () => {
    const records = Array.from({ length: 10_001 }, (_, at) =>
      recordOf({ ...plan(), model: `m${at}`, startMs: at < 2 ? 0 : 24 * HOUR_MS }, at),
    );
    const usage = new SimulatedUsage(records);
    usage.nowMs = NOW_MS;
    const read = (start: number) => {
      const drawn = readCostsQuery(requestOf(`start_time=${start}&group_by=line_item`), context());
      const reading = { ...usage.dependencies(), nowMs: NOW_MS, budget: idle() };
      return costsPage(reading, { accountId: ACCOUNT, keyId: undefined, headers: {} }, drawn);
    };
    const { data, has_more: hasMore } = await read(FIRST);
    expect([data.map(({ results }) => results.length), hasMore]).toEqual([[2], true]);
    const more = Array.from({ length: 2 }, (_, at) =>
      recordOf({ ...plan(), model: `n${at}`, startMs: 24 * HOUR_MS }, 20_000 + at),
    );
    usage.records.push(...more);
    usage.days.clear();
    usage.progress = { endedTo: '', open: new Map(), version: 0 };
    await expect(read(FIRST + 86_400)).rejects.toThrow(
      expect.objectContaining({ status: 400, param: 'group_by' }),
    );
  });
});

const plan = () =>
  ({
    key: 0,
    startMs: 0,
    tookMs: 0,
    model: 'sim/a',
    kind: 'chat',
    status: 'completed',
    cost: 7n,
    units: 1,
  }) as const;

const unitsOf = ({ input_tokens: tokens, seconds }: Result) => tokens ?? seconds;

describe('a query of usage or costs', () => {
  it.each([
    ['start_time', ''],
    ['start_time', 'start_time=now'],
    ['start_time', 'start_time=999999999999'],
    ['end_time', 'start_time=9&end_time=9'],
    ['end_time', 'start_time=9&end_time=-1'],
    ['bucket_width', 'start_time=9&bucket_width=1m'],
    ['limit', 'start_time=9&limit=0'],
    ['limit', 'start_time=9&limit=32'],
    ['limit', 'start_time=9&limit=169&bucket_width=1h'],
    ['group_by[0]', 'start_time=9&group_by=user_id'],
    ['group_by[1]', 'start_time=9&group_by[]=model&group_by[]=project_id'],
    ['group_by', 'start_time=9&group_by=model&group_by=model&group_by=model'],
    ...['project_ids', 'user_ids', 'batch', 'sizes', 'sources', 'line_items', '__proto__'].map(
      (name) => [name, `start_time=9&${name}=a`] as const,
    ),
    ['user_ids', 'start_time=9&user_ids[]=a'],
  ])('fails with 400 that names %s: %s', (param, text) => {
    expect(() => readUsageQuery(requestOf(text), context())).toThrow(
      expect.objectContaining({ status: 400, param }),
    );
  });

  it.each([
    ['bucket_width', 'start_time=9&bucket_width=1h'],
    ['limit', 'start_time=9&limit=181'],
    ['group_by[0]', 'start_time=9&group_by=model'],
    ['models', 'start_time=9&models=a'],
  ])('fails with 400 that names %s, of costs: %s', (param, text) => {
    expect(() => readCostsQuery(requestOf(text), context())).toThrow(
      expect.objectContaining({ status: 400, param }),
    );
  });

  it('takes the most buckets of each width, and has OpenAI’s defaults', () => {
    const limitOf = (text: string) => readUsageQuery(requestOf(`start_time=9&${text}`), context()).limit;
    expect(['', 'limit=31', 'bucket_width=1h', 'bucket_width=1h&limit=168'].map(limitOf)).toEqual([
      7, 31, 24, 168,
    ]);
    expect(readCostsQuery(requestOf('start_time=9'), context()).limit).toBe(7);
    expect(readCostsQuery(requestOf('start_time=9&limit=180'), context()).limit).toBe(180);
  });

  const START = `start_time=${FIRST}`;
  const next = FIRST / 3_600 + 24;
  const token = readUsageQuery(requestOf(START), context()).tokenOf(next);
  const withPage = (text: string, page: string, changes: Partial<BucketQueryContext> = {}) =>
    readUsageQuery(requestOf(`${text}&page=${page}`), context(changes)).from;

  it('goes on from its own token, also with another limit', () => {
    expect([withPage(START, token), withPage(`${START}&limit=3`, token)]).toEqual([next, next]);
  });

  it.each<readonly [string, string, string, Partial<BucketQueryContext>?]>([
    ['of another account', START, token, { subject: ['completions', 'acc_2', undefined] }],
    ['of the account for one of its keys', START, token, { subject: ['completions', ACCOUNT, keyOf(0)] }],
    ['of another kind', START, token, { subject: ['embeddings', ACCOUNT, undefined] }],
    ['of another start', `start_time=${FIRST + 86_400}`, token],
    ['of other groups', `${START}&group_by=model`, token],
    ['of other keys', `${START}&api_key_ids=${keyOf(0)}`, token],
    ['of an hour within a bucket', START, readUsageQuery(requestOf(START), context()).tokenOf(next + 1)],
    ['of an hour before the start', START, readUsageQuery(requestOf(START), context()).tokenOf(next - 48)],
    ['of the future', START, readUsageQuery(requestOf(START), context()).tokenOf(next + 24_000)],
    ['that nobody has made', START, 'MTIzLmFiYw'],
    ['that is empty', START, ''],
  ])('fails with 400 for a page %s', (_what, text, page, changes) => {
    expect(() => withPage(text, page, changes)).toThrow(
      expect.objectContaining({ status: 400, param: 'page' }),
    );
  });
});
