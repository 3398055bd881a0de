import { beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../platform/core/errors.ts';
import { attemptSpanId } from '../../../platform/core/trace-context.ts';
import { ACCOUNT, candidatesOf, DEAD, Fleet, PAYING } from '../../testing/circuit/fleet.ts';
import { MemoryCircuits, SILENT } from '../../testing/circuit/memory-circuits.ts';
import type { AttemptTerms } from '../call.ts';
import type { Candidate } from '../catalog/catalog-document.ts';
import { accountHash } from '../circuit/breaker.ts';
import { COOLDOWN_MS, keysOf, stateOf } from '../circuit/circuit.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import type { UpstreamRejection } from '../upstream/rejection.ts';
import { attemptCandidates } from './failover.ts';

const CANDIDATES = candidatesOf('a', 'b', 'c');

let fleet: Fleet;
let store: MemoryCircuits;
/** The routes that were tried, in order. */
let triedRoutes: string[];
/** The fields of the log's warnings. */
let warnings: unknown[];
/** The time that each had. */
let timesLeft: AttemptTerms[];
/** The attempts that were recorded, with their failures. */
let recorded: string[][];

beforeEach(() => {
  store = new MemoryCircuits();
  fleet = new Fleet(1, () => store);
  [triedRoutes, warnings] = [[], []];
  [timesLeft, recorded] = [[], []];
});

type Courses = Readonly<Record<string, unknown>>;

interface CallOptions {
  readonly remainingMs?: number;
  readonly accountId?: string;
  /** Milliseconds until the caller must have received a byte, at each check in turn. */
  readonly silentMs?: readonly number[];
  readonly traceparent?: string;
}

/** A call of which each route fails as given, and serves when nothing is given. */
async function call(
  courses: Courses,
  { remainingMs = 900_000, accountId = ACCOUNT, silentMs, traceparent }: CallOptions = {},
) {
  const breaker = fleet.breaker(0);
  let checkIndex = 0;
  await breaker.refresh(
    CANDIDATES.map(({ route }) => route),
    accountId,
  );
  const attempt = async ({ route }: Candidate, time: AttemptTerms) => {
    triedRoutes.push(route.id);
    timesLeft.push(time);
    const failure = courses[route.id];
    if (failure !== undefined) throw failure;
    return `answer of ${route.id}`;
  };
  const timeLeft = () => ({
    remainingTimeMs: remainingMs,
    ...(silentMs === undefined
      ? {}
      : { silentTimeMs: silentMs[Math.min(checkIndex++, silentMs.length - 1)] }),
  });
  const startAttempt = (route: string) => {
    const attempt = [route];
    recorded.push(attempt);
    return (failure: string) => void attempt.push(failure);
  };
  const key = { accountId, keyId: 'key_1', secretHash: '' };
  const { result, candidate } = await attemptCandidates(
    { breaker, log: { ...SILENT, warn: (_message, fields) => warnings.push(fields) } },
    { requestId: 'req_1', key, candidates: CANDIDATES, attempt, traceparent },
    { admission: { output: 0, spentAmount: PAYING, startAttempt }, timeLeft },
  ).finally(() => breaker.flush());
  return [result, candidate.route.id];
}

const rejectionOf = async (courses: Courses, options: CallOptions = {}): Promise<ServiceError> => {
  const failure = await call(courses, options).catch((cause: unknown) => cause);
  if (failure instanceof ServiceError) return failure;
  throw new Error(`not refused: ${String(failure)}`);
};

/** Returns the state of a route's circuit for the account of the calls. */
const stateIn = (id: string) => {
  const { own } = keysOf(id, accountHash(ACCOUNT));
  return stateOf(store.of(own), accountHash(ACCOUNT), fleet.time.clock()).kind;
};

/** A number of calls that a route fails. */
async function failures(count: number, courses: Courses): Promise<void> {
  for (let calls = 0; calls < count; calls += 1) await call(courses).catch(() => {});
  triedRoutes = [];
}

const limited = (retryAfterSeconds?: number) =>
  new UpstreamFailure('status', { status: 429, retryAfterSeconds });

describe('the attempts of a call', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

  it('name their failures, and get spans of their own in the trace of the caller', async () => {
    const courses = {
      a: new UpstreamFailure('status', { status: 429 }),
      b: new UpstreamFailure('timeout'),
    };
    await call(courses, { traceparent });
    expect(recorded).toEqual([['a', '429'], ['b', 'timeout'], ['c']]);
    const spans = [1, 2, 3].map((number) => attemptSpanId('req_1', number));
    expect(new Set(spans).size).toBe(3);
    expect(timesLeft.map((terms) => terms.traceparent)).toEqual(
      spans.map((id) => `00-4bf92f3577b34da6a3ce929d0e0e4736-${id}-00`),
    );
  });

  it('name no trace if the caller sent none, and no text of a failure', async () => {
    await call({ a: new Error('secret') }).catch(() => {});
    expect(recorded).toEqual([['a', '_OTHER']]);
    expect(timesLeft.map((terms) => terms.traceparent)).toEqual([undefined]);
  });
});

describe('a call', () => {
  it('attempts its routes in order, each once, until one responds', async () => {
    expect(await call({})).toEqual(['answer of a', 'a']);
    expect(await call({ a: DEAD })).toEqual(['answer of b', 'b']);
    expect(await call({ a: DEAD, b: DEAD })).toEqual(['answer of c', 'c']);
    expect(triedRoutes.join('')).toBe('aababc');
  });

  it('names in the log the secret that a route lacks, for no other failure', async () => {
    await call({ a: new UpstreamFailure('secret'), b: DEAD });
    expect(warnings).toMatchObject([{ route: 'a', secret: 'env:ACME_KEY' }, { route: 'b' }]);
    expect(warnings[1]).not.toHaveProperty('secret');
  });

  it('passes over a route whose circuit is open, and over no other', async () => {
    await failures(5, { a: DEAD });
    expect(stateIn('a')).toBe('shut');
    expect(await call({})).toEqual(['answer of b', 'b']);
    expect(triedRoutes.join('')).toBe('b');
  });

  it('skips a throttled route until its retry time', async () => {
    await call({ a: limited(7) });
    expect(await call({})).toEqual(['answer of b', 'b']);
    await fleet.time.advance(7_000);
    expect(await call({})).toEqual(['answer of a', 'a']);
    expect(triedRoutes.join('')).toBe('abba');
  });

  it('still uses a route that failed or limited only another account', async () => {
    await failures(6, { a: DEAD });
    await call({ b: limited(60) });
    expect(await call({}, { accountId: 'acc_other' })).toEqual(['answer of a', 'a']);
    expect(await call({ a: DEAD }, { accountId: 'acc_other' })).toEqual(['answer of b', 'b']);
    expect(await call({})).toEqual(['answer of c', 'c']);
  });

  it('starts no attempt without enough time, and reports this like any other failure', async () => {
    expect(await rejectionOf({}, { remainingMs: 15_000 })).toMatchObject({
      code: 'all_routes_failed',
      retryAfterSeconds: 5,
    });
    expect(triedRoutes).toEqual([]);
  });

  it('passes on what is no failure of a route', async () => {
    const bug = new TypeError('a bug');
    await expect(call({ a: bug })).rejects.toBe(bug);
    expect(triedRoutes).toEqual(['a']);
  });
});

describe('the error of a call that fails on every route', () => {
  it('contains status 503 and the earliest retry time of the routes', async () => {
    const all = { a: limited(40), b: limited(12), c: limited(30) };
    expect(await rejectionOf(all)).toMatchObject({
      status: 503,
      type: 'service_unavailable',
      code: 'all_routes_failed',
      retryAfterSeconds: 12,
    });
    await fleet.time.advance(5_000);
    expect(await rejectionOf({})).toMatchObject({ status: 503, retryAfterSeconds: 7 });
    expect(triedRoutes.join('')).toBe('abc');
  });

  it('specifies a retry within a minute, for any retry times of the routes', async () => {
    const never = (status: number) => new UpstreamFailure('status', { status, retryAfterSeconds: 999_999 });
    const all = { a: never(503), b: never(429), c: never(529) };
    expect((await rejectionOf(all)).retryAfterSeconds).toBe(60);
    expect((await rejectionOf(all)).retryAfterSeconds).toBe(60);
  });

  it('specifies a retry when the first circuit allows another attempt, if all circuits are open', async () => {
    const all = { a: DEAD, b: DEAD, c: DEAD };
    await failures(5, { a: DEAD });
    await fleet.time.advance(6_000);
    await failures(5, all);
    expect(['a', 'b', 'c'].map(stateIn)).toEqual(['shut', 'shut', 'shut']);
    expect(await rejectionOf({})).toMatchObject({ status: 503, retryAfterSeconds: 9 });
    expect(triedRoutes).toEqual([]);
  });
});

describe('a call that sends nothing before its response', () => {
  it('gives each route the rest of the time without a byte, less the time of settlement', async () => {
    expect(await call({ a: DEAD, b: DEAD }, { silentMs: [300_000, 100_000, 16_000] })).toEqual([
      'answer of c',
      'c',
    ]);
    expect(timesLeft.map(({ silentTimeMs }) => silentTimeMs)).toEqual([285_000, 85_000, 1_000]);
    expect(timesLeft.map(({ remainingTimeMs }) => remainingTimeMs)).toEqual([885_000, 885_000, 885_000]);
  });

  it('attempts no further route after its deadline, and asks clients not to retry automatically', async () => {
    const rejection = await rejectionOf({ a: DEAD }, { silentMs: [300_000, 15_050] });
    expect(triedRoutes).toEqual(['a']);
    expect(rejection).toMatchObject({
      status: 503,
      code: 'all_routes_failed',
      retryAfterSeconds: 5,
      headers: { 'x-should-retry': 'false' },
    });
  });

  it('forbids a retry if its last route took all of the time, but not if all routes failed in time', async () => {
    const all = { a: DEAD, b: DEAD, c: DEAD };
    const late = await rejectionOf(all, { silentMs: [300_000, 200_000, 100_000, 15_000] });
    expect([triedRoutes.length, late.headers]).toEqual([3, { 'x-should-retry': 'false' }]);
    const inTime = await rejectionOf(all, { silentMs: [300_000] });
    expect([triedRoutes.length, inTime.headers]).toEqual([6, {}]);
  });

  it('receives the time of its host alone if nothing ends silent calls', async () => {
    await call({});
    expect(timesLeft).toEqual([{ remainingTimeMs: 885_000 }]);
  });
});

describe('a request that a route rejects as invalid', () => {
  const because = (rejected: UpstreamRejection) =>
    new UpstreamFailure('status', { status: 400, retryable: false, rejection: rejected });

  it('fails for the caller with the reason, under the public name of the model', async () => {
    const [{ route, model }] = CANDIDATES as readonly [Candidate];
    const reason = `${route.upstream_model} takes no images`;
    expect((await rejectionOf({ a: because({ reason }) })).message).toBe(
      `The route that serves this model rejected the request as invalid: ${model.id} takes no images`,
    );
  });

  it.each([
    [{ prompt: 205_000, window: 200_000 }, 'prompt is too long: 205000 tokens > 200000 maximum.'],
    [{}, 'prompt is too long: it exceeds the context window of this model.'],
    [{ prompt: 5, output: 6, window: 10 }, 'input length and `max_tokens` exceed context limit: 5 + 6 > 10,'],
  ])(
    'returns a separate code and message if the prompt exceeds the context window: %j',
    async (overflow, message) => {
      expect(await rejectionOf({ a: because({ reason: 'x', overflow }) })).toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
        message: expect.stringContaining(message),
      });
    },
  );

  it('returns a separate code, and none of the filter’s text, if a filter stopped the prompt', async () => {
    const filtered = because({ reason: 'hate, high', filtered: true });
    expect(await rejectionOf({ a: filtered })).toMatchObject({
      status: 400,
      code: 'content_filter',
      message: expect.not.stringContaining('hate'),
    });
    expect(triedRoutes.join('')).toBe('a');
  });

  const rejection = new UpstreamFailure('status', { status: 400, retryable: false, param: 'messages' });

  it('fails for the caller without another attempt, and counts for nothing', async () => {
    for (let calls = 0; calls < 20; calls += 1) {
      expect(await rejectionOf({ a: rejection })).toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'messages',
      });
    }
    expect(triedRoutes.join('')).toBe('a'.repeat(20));
    expect(store.writes).toBe(0);
  });
});

describe('the probe of a route', () => {
  beforeEach(async () => {
    await failures(5, { a: DEAD });
    await fleet.time.advance(COOLDOWN_MS);
  });

  it('runs as a normal call, which closes the circuit if it succeeds', async () => {
    expect(await call({})).toEqual(['answer of a', 'a']);
    expect(stateIn('a')).toBe('closed');
  });

  it('remains available if its call fails for a reason of the service', async () => {
    await expect(call({ a: new TypeError('a bug') })).rejects.toThrow('a bug');
    expect(stateIn('a')).toBe('half-open');
    expect(await call({})).toEqual(['answer of a', 'a']);
  });
});
