import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import { spoken } from '../../../tools/test-kit/recordings.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { SEED } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { costIn, NANO_USD_PER_SECOND, routeOf, TranscribeDrill } from './transcribe-drill.ts';
import type { HeldKey } from './upload-service.ts';

const CREDIT = 10n ** 12n;
const NEVER = new AbortController().signal;
const AUDIO = spoken(2);
/** One second of a tone by file name. */
const ENCODED = JSON.parse(
  readFileSync('lambdas/inference/testing/kinds/transcriptions/lengths/encoded.json', 'utf8'),
) as Readonly<Record<string, string>>;
const FILE = { content: new Blob([AUDIO]), sha256: createHash('sha256').update(AUDIO).digest('hex') };
const throttled = { type: 'ThrottlingException', status: 400 } as const;

let drill: TranscribeDrill;
let key: HeldKey;

beforeAll(async () => {
  // Two routes, so that one that fails has a successor.
  drill = await TranscribeDrill.start({
    routes: [
      routeOf('first', { timeout_ms: 20_000 }),
      routeOf('second', { timeout_ms: 20_000, priority: 2 }),
    ],
  });
});
beforeEach(async () => {
  drill.account.state.plan = { jobMs: 20 };
  drill.account.state.faults = [];
  drill.account.state.operations.length = 0;
  drill.service.abandoned.length = 0;
  drill.logged.length = 0;
  key = await drill.service.open(CREDIT);
});
afterAll(() => drill.stop());

const fail = (operation: string, fault: { type: string; status: number; isLost?: boolean }, times = 1) => {
  for (let count = 0; count < times; count += 1) drill.account.state.faults.push({ operation, ...fault });
};
const routeIn = ({ headers }: Response) => headers.get('x-route');
const countOf = (operation: string) =>
  drill.account.state.operations.filter((each) => each === operation).length;

describe('a job that never ends', () => {
  let slow: TranscribeDrill;
  beforeAll(async () => {
    slow = await TranscribeDrill.start({
      routes: [routeOf('slow', { timeout_ms: 500 })],
    });
  });
  afterAll(() => slow.stop());

  it('ends its call with 503 at no charge, and its transcript that appears later is swept', async () => {
    const holder = await slow.service.open(CREDIT);
    slow.account.state.plan = { jobMs: 1_500 };
    // The response waits for the removal of the recording.
    slow.account.state.faults = [{ operation: 'POST', type: '', status: 0, delayMs: 400 }];
    // Its header states no length, so that it is tried although no job could end in time.
    const audio = Buffer.from(ENCODED['recorder.webm'] ?? '', 'base64');
    const response = await slow.post(holder, audio, {}, { name: 'recorder.webm' });
    expect(response.status).toBe(503);
    expect(await slow.walletOf(holder)).toEqual({ balance: CREDIT, holds: 0 });
    const seconds = (audio.length * 8) / 16_000;
    const cost = BigInt(Math.round(seconds * 100_000));
    expect(slow.service.abandoned).toEqual([{ job: expect.any(String), route: 'slow', seconds, cost }]);
    expect(await slow.account.keys()).toEqual([]);
    // A job that runs cannot be deleted.
    expect(slow.logged).toContainEqual([
      'recording left to the sweeper',
      expect.objectContaining({ failures: ['BadRequestException'] }),
    ]);
    const left = await until(
      () => slow.account.keys(),
      (keys) => keys.length > 0,
    );
    expect(left).toEqual([expect.stringMatching(/transcript\.json$/)]);
    await until(
      () => slow.sweep(),
      (swept) => swept === 2,
    );
    expect(await slow.account.keys()).toEqual([]);
    expect(await slow.sweep()).toBe(0);
  });
});

describe('a process that dies', () => {
  const job = (id: string) => ({ id, extension: 'wav' as const });

  it.each<readonly [string, number, (id: string) => Promise<void>]>([
    ['after the upload', 1, (id) => drill.recordings.put(job(id), FILE, NEVER)],
    [
      'after the start of its job',
      4,
      async (id) => {
        await drill.recordings.put(job(id), FILE, NEVER);
        await drill.recordings.start({ ...job(id), language: 'en-US' }, NEVER);
      },
    ],
    [
      'before it deletes what it has read',
      4,
      async (id) => {
        await drill.recordings.put(job(id), FILE, NEVER);
        await drill.recordings.start({ ...job(id), language: undefined }, NEVER);
        await until(
          () => drill.recordings.read(job(id), 1_000_000, NEVER),
          (text) => text !== undefined,
        );
      },
    ],
  ])('leaves nothing for more than 35 minutes: %s', async (name, left, run) => {
    await run(name.replaceAll(' ', '-'));
    if (left > 1)
      await until(
        () => drill.account.keys(),
        (keys) => keys.length === left - 1,
      );
    // A run after less than 20 minutes leaves what a call may still use.
    expect(await drill.sweep(19 * 60_000)).toBe(0);
    await until(
      () => drill.sweep(35 * 60_000),
      (swept) => swept === left,
    );
    expect([await drill.account.keys(), await drill.sweep(35 * 60_000)]).toEqual([[], 0]);
  });
});

describe('two sweeps at the same time', () => {
  it('delete each job once, and neither fails', async () => {
    for (const id of ['one', 'two', 'three']) {
      await drill.recordings.put({ id, extension: 'wav' }, FILE, NEVER);
      await drill.recordings.start({ id, extension: 'wav', language: undefined }, NEVER);
    }
    await until(
      () => drill.account.keys(),
      (keys) => keys.length === 9,
    );
    await Promise.all([drill.sweep(), drill.sweep()]);
    expect([await drill.account.keys(), await drill.sweep()]).toEqual([[], 0]);
  });
});

describe('a fault of Amazon S3', () => {
  it('moves the call to the next route at the upload', async () => {
    fail('PUT', { type: 'SlowDown', status: 503 });
    const response = await drill.post(key, AUDIO);
    expect([response.status, routeIn(response)]).toEqual([200, 'second']);
    // The job that was not started is not one that is left.
    expect(drill.logged).toEqual([]);
  });

  it.each([
    ['503', { type: 'SlowDown', status: 503 }, 4],
    ['403', { type: 'AccessDenied', status: 403 }, 2],
  ])('delays the call at a read of the transcript: %s', async (_, fault, times) => {
    fail('GET', fault, times);
    const response = await drill.post(key, AUDIO);
    expect([response.status, routeIn(response)]).toEqual([200, 'first']);
    expect(drill.service.abandoned).toEqual([]);
  });

  it('leaves the objects to the sweeper at their removal, and the response is sent', async () => {
    fail('POST', { type: 'AccessDenied', status: 403 });
    const response = await drill.post(key, AUDIO);
    expect(response.status).toBe(200);
    expect(await drill.account.keys()).toHaveLength(3);
    expect(await drill.sweep()).toBe(3);
  });
});

describe('a fault of Amazon Transcribe', () => {
  it('moves the call to the next route at its limit of jobs', async () => {
    fail('StartTranscriptionJob', { type: 'LimitExceededException', status: 429 }, 3);
    const response = await drill.post(key, AUDIO);
    expect([response.status, routeIn(response)]).toEqual([200, 'second']);
    expect(drill.service.abandoned).toEqual([]);
  });

  it('delays the call at a read of the job, throttled as 400', async () => {
    drill.account.state.plan = { jobMs: 400 };
    fail('GetTranscriptionJob', throttled, 6);
    const response = await drill.post(key, AUDIO);
    expect([response.status, routeIn(response)]).toEqual([200, 'first']);
    expect(countOf('GetTranscriptionJob')).toBeGreaterThan(1);
  });

  it('starts one job if the response to its start is lost', async () => {
    fail('StartTranscriptionJob', { type: 'InternalFailureException', status: 500, isLost: true });
    const response = await drill.post(key, AUDIO);
    expect([response.status, routeIn(response)]).toEqual([200, 'first']);
    expect([countOf('PUT'), countOf('StartTranscriptionJob')]).toEqual([1, 2]);
    expect([await drill.account.keys(), await drill.sweep()]).toEqual([[], 0]);
  });

  it.each(['{}', '{"results":{"transcripts":[]}}', 'no JSON'])(
    'moves the call to the next route, and counts the job as unbilled, if its transcript is %s',
    async (text) => {
      const read = jest.spyOn(drill.recordings, 'read').mockResolvedValueOnce(text);
      const response = await drill.post(key, AUDIO);
      read.mockRestore();
      expect([response.status, routeIn(response)]).toEqual([200, 'second']);
      const cost = 2n * NANO_USD_PER_SECOND;
      expect(drill.service.abandoned).toEqual([
        { job: expect.any(String), route: 'first', seconds: 2, cost },
      ]);
    },
  );

  it('moves the call to the next route if the job fails for a reason that is not the recording', async () => {
    drill.account.state.nextPlans = [{ jobMs: 5, failure: 'Internal failure. Please try again.' }];
    const response = await drill.post(key, AUDIO);
    expect([response.status, routeIn(response)]).toEqual([200, 'second']);
    expect(drill.service.abandoned).toEqual([]);
  });
});

const fault = fc.constantFrom(
  { operation: 'PUT', type: 'SlowDown', status: 503 },
  { operation: 'GET', type: 'AccessDenied', status: 403 },
  { operation: 'POST', type: 'AccessDenied', status: 403 },
  { operation: 'POST', type: 'NoAnswer', status: 403, isLost: true },
  { operation: 'StartTranscriptionJob', type: 'AccessDeniedException', status: 400 },
  { operation: 'StartTranscriptionJob', type: 'BadRequestException', status: 400, isLost: true },
  { operation: 'GetTranscriptionJob', type: 'AccessDeniedException', status: 400 },
  { operation: 'DeleteTranscriptionJob', type: 'AccessDeniedException', status: 400 },
);
const history = fc.record({
  faults: fc.array(fault, { maxLength: 6 }),
  failure: fc.option(fc.constantFrom('Unsupported media format', 'Internal failure'), { nil: undefined }),
  calls: fc.integer({ min: 1, max: 4 }),
  dies: fc.boolean(),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

describe('the bucket of recordings', () => {
  it('holds nothing after a sweep, and the ledger balances, whatever has failed', async () => {
    let paid = 0n;
    let died = 0;
    const run = async ({ faults, failure, calls, dies }: History) => {
      drill.account.state.faults = [...faults];
      drill.account.state.plan = failure === undefined ? { jobMs: 5 } : { jobMs: 5, failure };
      if (dies) {
        died += 1;
        const job = { id: `died-${died}`, extension: 'wav' as const, language: undefined };
        await drill.recordings.put(job, FILE, NEVER).catch(() => {});
        await drill.recordings.start(job, NEVER).catch(() => {});
      }
      const responses = await Promise.all(Array.from({ length: calls }, () => drill.post(key, AUDIO)));
      for (const response of responses) {
        expect([200, 400, 503]).toContain(response.status);
        paid += costIn(response);
      }
      drill.account.state.faults = [];
    };
    await fc.assert(fc.asyncProperty(history, run), { seed: SEED, numRuns: rounds(200) });
    await until(
      () => drill.sweep(),
      (swept) => swept === 0,
    );
    expect(await drill.account.keys()).toEqual([]);
    expect(await drill.walletOf(key)).toEqual({ balance: CREDIT - paid, holds: 0 });
  });
});
