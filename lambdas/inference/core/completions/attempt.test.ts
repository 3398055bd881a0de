import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import { routeOf } from '../../testing/circuit/fleet.ts';
import { type Provider, type Reply, type ReplyEvent, UpstreamFailure } from '../upstream/provider.ts';
import { type AttemptOptions, attemptRoute } from './delivery.ts';

const ROUTE = { ...routeOf('route'), timeout_ms: 60_000, first_byte_timeout_ms: 5_000 };
const EMPTY: ReplyEvent = { text: '', content: false };
const WORD: ReplyEvent = { text: 'word', content: true };

/** One attempt over a route that replies so; `signal` is what its provider was given. */
function attempting(
  reply: (time: FakeTime, signal: AbortSignal) => Promise<Reply>,
  changes: Partial<AttemptOptions> = {},
) {
  const time = new FakeTime();
  const given: { signal?: AbortSignal } = {};
  const provider = {
    chat: ({ signal }: { signal: AbortSignal }) => {
      given.signal = signal;
      return reply(time, signal);
    },
  } as unknown as Provider;
  const options = {
    provider,
    route: ROUTE,
    after: time.after,
    payload: { stream: true },
    remainingTimeMs: 900_000,
  };
  const answered = attemptRoute({ ...(options as unknown as AttemptOptions), ...changes });
  answered.catch(() => {});
  return { time, answered, isAborted: () => given.signal?.aborted };
}

/** Ends when it is aborted, as what reads a connection does. */
async function* streamOf(time: FakeTime, signal: AbortSignal, events: readonly ReplyEvent[], gapMs: number) {
  for (const event of events) {
    await time.sleep(gapMs);
    signal.throwIfAborted();
    yield event;
  }
}

const streaming =
  (events: readonly ReplyEvent[], gapMs = 1) =>
  async (time: FakeTime, signal: AbortSignal) =>
    ({ kind: 'stream', events: streamOf(time, signal, events, gapMs) }) as unknown as Reply;

describe('an attempt whose caller must have had a byte by some time', () => {
  const never = () => new Promise<never>(() => {});
  const lasts = async (changes: Partial<AttemptOptions>, reply: Parameters<typeof attempting>[0] = never) => {
    const { time, answered } = attempting(reply, changes);
    const beganMs = time.clock();
    const failure: unknown = await time.until(answered.catch((cause: unknown) => cause));
    return [(failure as UpstreamFailure).kind, time.clock() - beganMs];
  };
  const whole = { stream: false } as AttemptOptions['payload'];
  const streamed = { stream: true } as AttemptOptions['payload'];

  it.each([
    ['a whole answer ends then', whole, 40_000, 'deadline', 40_000],
    ['a whole answer has no more than its route gives', whole, 61_000, 'timeout', 60_000],
    ['a stream must begin by then', streamed, 4_000, 'deadline', 4_000],
    ['a stream must begin when its route says so, if that is sooner', streamed, 6_000, 'timeout', 5_000],
  ])('%s', async (_case, payload, silentTimeMs, kind, ms) => {
    expect(await lasts({ payload, silentTimeMs })).toEqual([kind, ms]);
  });

  it('goes on for as long as its route and host give once it has begun', async () => {
    const { time, answered } = attempting(streaming([WORD, WORD], 4_500), {
      payload: streamed,
      silentTimeMs: 4_800,
    });
    const answer = await time.until(answered);
    if (answer.kind !== 'stream') throw new Error('not a stream');
    expect(await time.until(answer.rest.next())).toEqual({ done: false, value: WORD });
  });
});

describe('a streamed attempt', () => {
  it('begins with what came up to its first content, and goes on with the rest', async () => {
    const { time, answered } = attempting(streaming([EMPTY, WORD, WORD]));
    const answer = await time.until(answered);
    if (answer.kind !== 'stream') throw new Error('not a stream');
    expect(answer.opening).toEqual([EMPTY, WORD]);
    expect(await time.until(answer.rest.next())).toEqual({ done: false, value: WORD });
    expect((await time.until(answer.rest.next())).done).toBe(true);
  });

  it('returns all its events as the opening if it ends without content', async () => {
    const { time, answered } = attempting(streaming([EMPTY]));
    expect(await time.until(answered)).toMatchObject({ kind: 'stream', opening: [EMPTY] });
  });

  it('limits the time to its first content, and afterwards only the time of the complete answer', async () => {
    const late = attempting(streaming([WORD], 5_001));
    await expect(late.time.until(late.answered)).rejects.toMatchObject({ kind: 'timeout' });
    const slow = attempting(streaming([WORD, WORD], 4_999));
    const answer = await slow.time.until(slow.answered);
    if (answer.kind !== 'stream') throw new Error('not a stream');
    expect(await slow.time.until(answer.rest.next())).toMatchObject({ value: WORD });
    await slow.time.advance(ROUTE.timeout_ms);
    expect(slow.isAborted()).toBe(true);
  });

  it.each([
    ['whole: its connection is kept for a second, to be used again', true, false],
    ['left: its connection ends at once', false, true],
  ])('frees its route and its timers when it is closed, %s', async (_case, complete, abortedAtOnce) => {
    const { time, answered, isAborted } = attempting(streaming([WORD]));
    const answer = await time.until(answered);
    if (answer.kind !== 'stream') throw new Error('not a stream');
    answer.close(complete);
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

  it('keeps its connection for a second and leaves no other timer after a complete answer', async () => {
    const reply = { kind: 'json', answer: {} } as unknown as Reply;
    const { time, answered, isAborted } = attempting(async () => reply, {
      payload: { stream: false } as AttemptOptions['payload'],
    });
    expect(await answered).toBe(reply);
    expect([isAborted(), time.timers]).toEqual([false, 1]);
    await time.advance(1_000);
    expect([isAborted(), time.timers]).toEqual([true, 0]);
  });

  it.each([
    ['its route', 60_000, 900_000, 'timeout'],
    ['its host, when that ends sooner', 1_000, 1_000, 'deadline'],
    ['a host that has ended', 0, -5, 'deadline'],
  ])('ends after the time of %s', async (_case, endsMs, remainingTimeMs, kind) => {
    const never = () => new Promise<never>(() => {});
    const payload = { stream: false } as AttemptOptions['payload'];
    const { time, answered } = attempting(never, { remainingTimeMs, payload });
    const beganMs = time.clock();
    await expect(time.until(answered)).rejects.toMatchObject({ kind });
    expect(time.clock() - beganMs).toBe(endsMs);
  });
});
