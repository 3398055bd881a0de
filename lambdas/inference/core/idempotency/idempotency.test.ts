import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import type { KeyGate } from '../../../access/core/key-gate.ts';
import type { ReplayMarks } from '../../../ledger/core/ports.ts';
import { MemoryReplays } from '../../testing/idempotency/memory-replays.ts';
import { Idempotency, type Keep } from './idempotency.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const LIMITS = { 'x-ratelimit-remaining-requests': '9' };
const REPLAYED = 'idempotent-replayed';

let time: FakeTime;
let store: MemoryReplays;
let idempotency: Idempotency;
let warnings: { readonly message: string; readonly fields: unknown }[];
/** Requests that were counted against a key. */
let counted: number;
/** Calls whose answer was replayed, and what becomes of the mark. */
let marked: object[];
let mark: () => Promise<void>;
/** Calls that ran. */
let runs: string[];
/** Those of them whose answer could be kept. */
let offered: string[];

beforeEach(() => {
  time = new FakeTime();
  store = new MemoryReplays();
  warnings = [];
  counted = 0;
  runs = [];
  offered = [];
  const touch = async () => {
    counted += 1;
    return { headers: LIMITS };
  };
  const log = {
    info: () => {},
    error: () => {},
    warn: (message: string, fields: unknown) => void warnings.push({ message, fields }),
  };
  const gate = { touch } as unknown as KeyGate;
  marked = [];
  mark = async () => {};
  const marks: ReplayMarks = {
    mark(call, nowSeconds) {
      marked.push({ ...call, nowSeconds });
      return mark();
    },
  };
  idempotency = new Idempotency({ store, marks, gate, clock: time.clock, after: time.after, log });
});

interface Call {
  readonly name?: string;
  readonly path?: string;
  readonly body?: string;
  readonly keyId?: string;
  readonly credential?: string;
  readonly stream?: boolean;
  readonly remainingMs?: number;
  readonly takesMs?: number;
  readonly fails?: Error;
}

let made = 0;

/** A call whose answer is its own request id. */
function call({
  name = 'name',
  path = '/v1/chat/completions',
  body = '{}',
  keyId = 'key_1',
  ...rest
}: Call = {}) {
  const {
    credential = 'uis_secret',
    stream = false,
    remainingMs = 15 * MINUTE_MS,
    takesMs = 0,
    fails,
  } = rest;
  made += 1;
  const requestId = `req_${made}`;
  const request = new Request(`https://api.test${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, ...(name === '' ? {} : { 'idempotency-key': name }) },
  });
  const context = {
    requestId,
    remainingTimeMs: () => remainingMs,
    pathParameters: {},
    log: { info: () => {}, warn: () => {}, error: () => {} },
  };
  const key = { accountId: 'acc_1', keyId, secretHash: '' };
  const run = async (keep?: Keep) => {
    runs.push(requestId);
    if (keep !== undefined) offered.push(requestId);
    if (takesMs > 0) await time.sleep(takesMs);
    if (fails !== undefined) throw fails;
    await keep?.({ body: requestId, headers: { 'x-route': 'a', 'x-ratelimit-remaining-requests': '99' } });
    return new Response(requestId, { headers: { 'x-route': 'a' } });
  };
  const answer = idempotency.guard({ request, context }, { requestId, key, identity: body, stream }, run);
  return { requestId, request, key, answer };
}

const asked = (options?: Call) => time.until(call(options).answer);

const refusalOf = (answer: Promise<unknown>) =>
  time.until(
    answer.then(
      () => undefined,
      (failure: unknown) => failure,
    ),
  );

describe('a repeated call', () => {
  it('receives the stored answer with the current limits of its key, and counts against them', async () => {
    const first = await asked();
    expect(first.headers.get(REPLAYED)).toBeNull();
    expect(counted).toBe(0);
    const again = await asked();
    expect(again.headers.get(REPLAYED)).toBe('true');
    expect(again.headers.get('x-route')).toBe('a');
    expect(again.headers.get('x-ratelimit-remaining-requests')).toBe('9');
    expect(await again.text()).toBe(await first.text());
    expect(counted).toBe(1);
    expect(runs).toHaveLength(1);
  });

  it('marks the call whose answer it gets, which the first one does not', async () => {
    const first = call();
    await time.until(first.answer);
    expect(marked).toEqual([]);
    await asked();
    const nowSeconds = Math.floor(time.clock() / 1000);
    expect(marked).toEqual([{ keyId: 'key_1', requestId: first.requestId, nowSeconds }]);
  });

  it.each<[string, () => Promise<void>, number]>([
    ['fails', () => Promise.reject(new Error('no database')), 1],
    ['never ends', () => new Promise(() => {}), 0],
  ])('receives its replay at most half a second later if its mark %s', async (_how, fate, warned) => {
    await asked();
    mark = fate;
    const sinceMs = time.clock();
    expect((await asked()).headers.get(REPLAYED)).toBe('true');
    expect(time.clock() - sinceMs).toBeLessThanOrEqual(500);
    expect(warnings).toHaveLength(warned);
  });

  it('receives a replay for a day, and runs again after that', async () => {
    await asked();
    await time.advance(DAY_MS - MINUTE_MS);
    expect((await asked()).headers.get(REPLAYED)).toBe('true');
    await time.advance(MINUTE_MS);
    expect((await asked()).headers.get(REPLAYED)).toBeNull();
    expect(runs).toHaveLength(2);
  });

  it.each([
    ['without an idempotency key', { name: '' }],
    ['with another idempotency key', { name: 'another' }],
    ['of another API key of the account', { keyId: 'key_2' }],
  ])('runs as a separate call %s', async (_case, changes: Call) => {
    await asked();
    expect((await asked(changes)).headers.get(REPLAYED)).toBeNull();
    expect(runs).toHaveLength(2);
    expect(counted).toBe(0);
  });

  it.each([
    ['with another body', { body: '{"n":2}' }],
    ['on another path', { path: '/v1/messages' }],
    ['after a streamed call, which is kept nowhere', {}, { stream: true }],
  ])('fails as a reused key %s', async (_case, changes: Call, first: Call = {}) => {
    await asked(first);
    expect(await refusalOf(call({ ...first, ...changes }).answer)).toMatchObject({
      status: 400,
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
      headers: LIMITS,
    });
    expect(runs).toHaveLength(1);
    expect(counted).toBe(1);
  });
});

describe('an idempotency key', () => {
  it.each([
    ['one character', 'x'],
    ['any visible ASCII', '!~'],
    ['255 characters', 'x'.repeat(255)],
  ])('allows %s', async (_case, name) => {
    await asked({ name });
    expect((await asked({ name })).headers.get(REPLAYED)).toBe('true');
  });

  it.each([
    ['256 characters', 'x'.repeat(256)],
    ['a blank', 'a b'],
    ['a letter beyond ASCII', 'caf\u00e9'],
  ])('fails validation as %s', async (_case, name) => {
    const { request, key, answer } = call({ name });
    expect(await refusalOf(answer)).toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'Idempotency-Key',
      message: expect.stringContaining('255'),
    });
    expect(await idempotency.isClaimed(request, key)).toBe(false);
    expect(runs).toEqual([]);
  });

  it('stays claimed from the start of its call until a day later, for its API key alone', async () => {
    const { request, key, answer } = call({ takesMs: 1_000 });
    await time.advance(500);
    expect(await idempotency.isClaimed(request, key)).toBe(true);
    expect(await idempotency.isClaimed(request, { ...key, keyId: 'key_2' })).toBe(false);
    await time.until(answer);
    expect(await idempotency.isClaimed(call({ name: '' }).request, key)).toBe(false);
    await time.advance(DAY_MS);
    expect(await idempotency.isClaimed(request, key)).toBe(false);
  });

  it('becomes free after a failed call, whose caller receives the failure', async () => {
    const failure = new Error('no route');
    expect(await refusalOf(call({ fails: failure }).answer)).toBe(failure);
    expect((await asked()).headers.get(REPLAYED)).toBeNull();
    expect(runs).toHaveLength(2);
  });

  it('becomes free before the caller receives the failure, so that a repetition runs', async () => {
    let freed = false;
    const { free } = store;
    store.free = async (claim) => {
      await time.sleep(50);
      await free.call(store, claim);
      freed = true;
    };
    await refusalOf(call({ fails: new Error('no route') }).answer);
    expect(freed).toBe(true);
  });

  it('leaves the failure unchanged and adds a line to the log if it cannot be freed', async () => {
    const failure = new Error('no route');
    store.free = async () => {
      throw new Error('no database');
    };
    const failed = call({ fails: failure });
    expect(await refusalOf(failed.answer)).toBe(failure);
    expect(warnings).toEqual([
      {
        message: 'claim not freed',
        fields: { requestId: failed.requestId, failure: 'Error: no database' },
      },
    ]);
  });

  it('never lets the database see the request, nor a hash that others could make of it', async () => {
    await asked({ body: 'a short prompt' });
    await asked({ body: 'a short prompt', name: 'second', credential: 'uis_other' });
    const [first, second] = [...store.claims.values()];
    expect(first?.requestHash).toMatch(/^[0-9a-f]{64}$/);
    expect(second?.requestHash).not.toBe(first?.requestHash);
    expect(first?.id).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a duplicate of a running call', () => {
  it('waits for its answer, and is counted once', async () => {
    const first = call({ takesMs: 10_000 });
    await time.advance(100);
    const second = call();
    expect(await (await time.until(second.answer)).text()).toBe(first.requestId);
    expect(counted).toBe(1);
    expect(runs).toEqual([first.requestId]);
  });

  it('asks the database less than ten times a second', async () => {
    let looks = 0;
    const { find } = store;
    call({ takesMs: 10_000 });
    await time.advance(100);
    store.find = (id, nowMs) => {
      looks += 1;
      return find.call(store, id, nowMs);
    };
    await asked();
    expect(looks).toBeGreaterThan(10);
    expect(looks).toBeLessThan(100);
  });

  it('gives up after 25 seconds, and says when to try again', async () => {
    call({ takesMs: 5 * MINUTE_MS });
    await time.advance(100);
    const second = call();
    let refused: unknown;
    second.answer.catch((failure: unknown) => {
      refused = failure;
    });
    await time.advance(24_900);
    expect(refused).toBeUndefined();
    await time.advance(300);
    expect(refused).toMatchObject({
      code: 'idempotent_request_in_progress',
      retryAfterSeconds: 25,
      headers: LIMITS,
    });
    expect(runs).toHaveLength(1);
  });

  it.each([
    ['half of the time that its host leaves it', 20_000, 10_000],
    ['not at all when its host ends it soon', 5_000, 0],
  ])('waits %s', async (_case, remainingMs, waitsMs) => {
    call({ takesMs: MINUTE_MS });
    await time.advance(100);
    const beganMs = time.clock();
    await refusalOf(call({ remainingMs }).answer);
    expect(time.clock() - beganMs).toBe(waitsMs);
  });

  it('a streamed call receives no function to store its answer, because its complete answer is never held', async () => {
    const [streamed, whole] = [call({ name: 'a', stream: true }), call({ name: 'b' })];
    await Promise.all([time.until(streamed.answer), time.until(whole.answer)]);
    expect(offered).toEqual([whole.requestId]);
  });

  it('fails at once if the call is streamed', async () => {
    call({ takesMs: 10_000, stream: true });
    await time.advance(100);
    const beganMs = time.clock();
    expect(await refusalOf(call({ stream: true }).answer)).toMatchObject({ code: 'idempotency_key_reused' });
    expect(time.clock()).toBe(beganMs);
  });

  it('fails at once if its body differs', async () => {
    call({ takesMs: 10_000 });
    await time.advance(100);
    const beganMs = time.clock();
    expect(await refusalOf(call({ body: 'another' }).answer)).toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(time.clock()).toBe(beganMs);
  });

  it('runs itself when the first one fails', async () => {
    const first = call({ takesMs: 1_000, fails: new Error('no route') });
    first.answer.catch(() => {});
    await time.advance(100);
    const second = call();
    expect(await (await time.until(second.answer)).text()).toBe(second.requestId);
  });

  it('takes over from a first one that its host has ended, not before', async () => {
    const first = call({ takesMs: 60 * MINUTE_MS, remainingMs: MINUTE_MS });
    await time.advance(MINUTE_MS + 9_000);
    const beganMs = time.clock();
    const second = call();
    expect(await (await time.until(second.answer)).text()).toBe(second.requestId);
    // What a call may run over its host's end is ten seconds.
    expect(time.clock() - beganMs).toBeGreaterThanOrEqual(1_000);
    expect(runs).toEqual([first.requestId, second.requestId]);
  });

  it('fails if another request has taken the key while the answer of the first one arrived', async () => {
    call({ takesMs: 2_000 });
    await time.advance(100);
    const second = call();
    await time.advance(1_000);
    const [claim] = [...store.claims.values()];
    if (claim === undefined) throw new Error('nothing is claimed');
    // The first claim has expired, and a call with another body has the key now.
    store.claims.set(claim.id, { ...claim, requestHash: 'another', done: true });
    expect(await refusalOf(second.answer)).toMatchObject({ code: 'idempotency_key_reused' });
  });
});
