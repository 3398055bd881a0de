import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import { routeOf } from '../../testing/circuit/fleet.ts';
import { type Provider, type RouteEvent, type RouteResponse, UpstreamFailure } from '../upstream/provider.ts';
import { type AttemptOptions, attemptRoute } from './delivery.ts';

const ROUTE = { ...routeOf('route'), timeout_ms: 60_000, first_byte_timeout_ms: 5_000 };
const never = () => new Promise<never>(() => {});
const completePayload = { stream: false } as AttemptOptions['payload'];
const EMPTY: RouteEvent = { outputText: '', hasOutput: false };
const WORD: RouteEvent = { outputText: 'word', hasOutput: true };

/** One attempt over a route that replies so; `signal` is what its provider was given. */
function attempting(
  respond: (time: FakeTime, signal: AbortSignal) => Promise<RouteResponse>,
  changes: Partial<AttemptOptions> = {},
) {
  const time = new FakeTime();
  const callOptions: { signal?: AbortSignal } = {};
  const provider = {
    chat: ({ signal }: { signal: AbortSignal }) => {
      callOptions.signal = signal;
      return respond(time, signal);
    },
  } as unknown as Provider;
  const options = {
    provider,
    route: ROUTE,
    after: time.after,
    payload: { stream: true },
    remainingTimeMs: 900_000,
  };
  const response = attemptRoute({ ...(options as unknown as AttemptOptions), ...changes });
  response.catch(() => {});
  return { time, answered: response, isAborted: () => callOptions.signal?.aborted };
}

/** Ends when it is aborted, as what reads a connection does. */
async function* streamOf(time: FakeTime, signal: AbortSignal, events: readonly RouteEvent[], gapMs: number) {
  for (const event of events) {
    await time.sleep(gapMs);
    signal.throwIfAborted();
    yield [event];
  }
}

const streaming =
  (events: readonly RouteEvent[], gapMs = 1) =>
  async (time: FakeTime, signal: AbortSignal) =>
    ({ kind: 'stream', batches: streamOf(time, signal, events, gapMs) }) as unknown as RouteResponse;

async function streamOfAttempt({ time, answered }: ReturnType<typeof attempting>) {
  const answer = await time.until(answered);
  if (answer.kind !== 'stream') throw new Error('not a stream');
  return answer;
}

describe('an attempt whose caller must have had a byte by some time', () => {
  const lasts = async (
    changes: Partial<AttemptOptions>,
    respond: Parameters<typeof attempting>[0] = never,
  ) => {
    const { time, answered } = attempting(respond, changes);
    const startMs = time.clock();
    const failure: unknown = await time.until(answered.catch((cause: unknown) => cause));
    return [(failure as UpstreamFailure).kind, time.clock() - startMs];
  };
  const streamed = { stream: true } as AttemptOptions['payload'];

  it.each([
    ['ends a complete response at that time', completePayload, 40_000, 'deadline', 40_000],
    [
      'ends a complete response at the timeout of the route, if that is sooner',
      completePayload,
      61_000,
      'timeout',
      60_000,
    ],
    ['ends a stream that has not started by that time', streamed, 4_000, 'deadline', 4_000],
    [
      'ends a stream that has not started by the route’s timeout, if that is sooner',
      streamed,
      6_000,
      'timeout',
      5_000,
    ],
  ])('%s', async (_case, payload, silentTimeMs, kind, ms) => {
    expect(await lasts({ payload, silentTimeMs })).toEqual([kind, ms]);
  });

  it('continues for as long as its route and server allow once it has started', async () => {
    const started = attempting(streaming([WORD, WORD], 4_500), { payload: streamed, silentTimeMs: 4_800 });
    const answer = await streamOfAttempt(started);
    expect(await started.time.until(answer.remainingBatches.next())).toEqual({ done: false, value: [WORD] });
  });
});

describe('a streamed attempt', () => {
  it('starts with the events up to its first output, and continues with the rest', async () => {
    const started = attempting(streaming([EMPTY, WORD, WORD]));
    const { firstEvents, remainingBatches } = await streamOfAttempt(started);
    expect(firstEvents).toEqual([EMPTY, WORD]);
    expect(await started.time.until(remainingBatches.next())).toEqual({ done: false, value: [WORD] });
    expect((await started.time.until(remainingBatches.next())).done).toBe(true);
  });

  it('returns all its events as the opening if it ends without content', async () => {
    const { time, answered } = attempting(streaming([EMPTY]));
    expect(await time.until(answered)).toMatchObject({ kind: 'stream', firstEvents: [EMPTY] });
  });

  it('limits the time to its first output, and afterwards only the time of the complete response', async () => {
    const late = attempting(streaming([WORD], 5_001));
    await expect(late.time.until(late.answered)).rejects.toMatchObject({ kind: 'timeout' });
    const slow = attempting(streaming([WORD, WORD], 4_999));
    const answer = await streamOfAttempt(slow);
    expect(await slow.time.until(answer.remainingBatches.next())).toMatchObject({ value: [WORD] });
    await slow.time.advance(ROUTE.timeout_ms);
    expect(slow.isAborted()).toBe(true);
  });

  it.each([
    ['whole: its connection is kept for a second, to be used again', true, false],
    ['left: its connection ends at once', false, true],
  ])('frees its route and its timers when it is closed, %s', async (_case, complete, abortedAtOnce) => {
    const started = attempting(streaming([WORD]));
    const { time, isAborted } = started;
    (await streamOfAttempt(started)).close(complete);
    expect(isAborted()).toBe(abortedAtOnce);
    await time.advance(1_000);
    expect(isAborted()).toBe(true);
    expect(time.timers).toBe(0);
  });
});

describe('an attempt', () => {
  it('ends its connection at once and leaves no timer if it fails', async () => {
    const failure = new UpstreamFailure('connection');
    const { time, answered, isAborted } = attempting(() => Promise.reject(failure));
    await expect(answered).rejects.toBe(failure);
    expect(isAborted()).toBe(true);
    expect(time.timers).toBe(0);
  });

  it('retains its connection for a second and leaves no other timer after a complete response', async () => {
    const respond = { kind: 'json', answer: {} } as unknown as RouteResponse;
    const { time, answered, isAborted } = attempting(async () => respond, {
      payload: completePayload,
    });
    expect(await answered).toBe(respond);
    expect([isAborted(), time.timers]).toEqual([false, 1]);
    await time.advance(1_000);
    expect([isAborted(), time.timers]).toEqual([true, 0]);
  });

  it.each([
    ['its route', 60_000, 900_000, 'timeout'],
    ['its host, when that ends sooner', 1_000, 1_000, 'deadline'],
    ['a host that has ended', 0, -5, 'deadline'],
  ])('ends after the time of %s', async (_case, endsMs, remainingTimeMs, kind) => {
    const { time, answered } = attempting(never, { remainingTimeMs, payload: completePayload });
    const startMs = time.clock();
    await expect(time.until(answered)).rejects.toMatchObject({ kind });
    expect(time.clock() - startMs).toBe(endsMs);
  });
});
