import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import type { KeyGate } from '../../../access/core/keys/key-gate.ts';
import type { ReplayMarks } from '../../../ledger/core/ports.ts';
import { webText } from '../../../platform/testing/web-response.ts';
import { SILENT } from '../../testing/circuit/memory-circuits.ts';
import { MemoryReplays } from '../../testing/idempotency/memory-replays.ts';
import { Idempotency, type ResponseRecorder } from './idempotency.ts';

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
let cachedMessages: object[];
let markReplay: () => Promise<void>;
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
    ...SILENT,
    warn: (message: string, fields: unknown) => void warnings.push({ message, fields }),
  };
  const gate = { touch } as unknown as KeyGate;
  cachedMessages = [];
  markReplay = async () => {};
  const marks: ReplayMarks = {
    markReplay(call, nowSeconds) {
      cachedMessages.push({ ...call, nowSeconds });
      return markReplay();
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

let runCount = 0;

/** A call whose answer is its own request id. */
function call({
  name = 'name',
  path = '/v1/chat/completions',
  body = '{}',
  keyId = 'key_1',
  credential = 'uis_secret',
  stream = false,
  remainingMs = 15 * MINUTE_MS,
  takesMs = 0,
  fails,
}: Call = {}) {
  runCount += 1;
  const requestId = `req_${runCount}`;
  const request = new Request(`https://api.test${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, ...(name === '' ? {} : { 'idempotency-key': name }) },
  });
  const context = {
    requestId,
    remainingTimeMs: () => remainingMs,
    pathParameters: {},
    log: SILENT,
  };
  const key = { accountId: 'acc_1', keyId, secretHash: '' };
  const run = async (storeResponse?: ResponseRecorder) => {
    runs.push(requestId);
    if (storeResponse !== undefined) offered.push(requestId);
    if (takesMs > 0) await time.sleep(takesMs);
    if (fails !== undefined) throw fails;
    await storeResponse?.({
      body: requestId,
      headers: { 'x-route': 'a', 'x-ratelimit-remaining-requests': '99' },
    });
    return { headers: { 'x-route': 'a' }, text: requestId };
  };
  const response = idempotency.guard({ request, context }, { requestId, key, identity: body, stream }, run);
  return { requestId, request, key, answer: response.then(webText) };
}

const respond = (options?: Call) => time.until(call(options).answer);

const rejectionOf = (response: Promise<unknown>) =>
  time.until(response.then(() => undefined).catch((failure: unknown) => failure));

describe('a repeated call', () => {
  it('receives the stored response with the current limits of its key, and counts against them', async () => {
    const first = await respond();
    expect(first.headers.get(REPLAYED)).toBeNull();
    expect(counted).toBe(0);
    const again = await respond();
    expect(again.headers.get(REPLAYED)).toBe('true');
    expect(again.headers.get('x-route')).toBe('a');
    expect(again.headers.get('x-ratelimit-remaining-requests')).toBe('9');
    expect(await again.text()).toBe(await first.text());
    expect(counted).toBe(1);
    expect(runs).toHaveLength(1);
  });

  it('marks the first call as replayed, while the first call marks none', async () => {
    const first = call();
    await time.until(first.answer);
    expect(cachedMessages).toEqual([]);
    await respond();
    const nowSeconds = Math.floor(time.clock() / 1000);
    expect(cachedMessages).toEqual([{ keyId: 'key_1', requestId: first.requestId, nowSeconds }]);
  });

  it.each<[string, () => Promise<void>, number]>([
    ['fails', () => Promise.reject(new Error('no database')), 1],
    ['never ends', () => new Promise(() => {}), 0],
  ])(
    'receives its replay at most half a second later if the write of its replay mark %s',
    async (_how, fate, warned) => {
      await respond();
      markReplay = fate;
      const sinceMs = time.clock();
      expect((await respond()).headers.get(REPLAYED)).toBe('true');
      expect(time.clock() - sinceMs).toBeLessThanOrEqual(500);
      expect(warnings).toHaveLength(warned);
    },
  );

  it('receives a replay for a day, and runs again after that', async () => {
    await respond();
    await time.advance(DAY_MS - MINUTE_MS);
    expect((await respond()).headers.get(REPLAYED)).toBe('true');
    await time.advance(MINUTE_MS);
    expect((await respond()).headers.get(REPLAYED)).toBeNull();
    expect(runs).toHaveLength(2);
  });

  it.each([
    ['without an idempotency key', { name: '' }],
    ['with another idempotency key', { name: 'another' }],
    ['of another API key of the account', { keyId: 'key_2' }],
  ])('runs as a separate call %s', async (_case, changes: Call) => {
    await respond();
    expect((await respond(changes)).headers.get(REPLAYED)).toBeNull();
    expect(runs).toHaveLength(2);
    expect(counted).toBe(0);
  });

  it.each([
    ['with another body', { body: '{"n":2}' }],
    ['on another path', { path: '/v1/messages' }],
    ['after a streamed call, which is kept nowhere', {}, { stream: true }],
  ])('fails as a reused key %s', async (_case, changes: Call, first: Call = {}) => {
    await respond(first);
    expect(await rejectionOf(call({ ...first, ...changes }).answer)).toMatchObject({
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
    await respond({ name });
    expect((await respond({ name })).headers.get(REPLAYED)).toBe('true');
  });

  it.each([
    ['256 characters', 'x'.repeat(256)],
    ['a blank', 'a b'],
    ['a letter beyond ASCII', 'caf\u00e9'],
  ])('fails validation as %s', async (_case, name) => {
    const { request, key, answer } = call({ name });
    expect(await rejectionOf(answer)).toMatchObject({
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

  it('becomes free before the caller receives the failure, so that a repetition runs', async () => {
    let freed = false;
    const { free } = store;
    store.free = async (claim) => {
      await time.sleep(50);
      await free.call(store, claim);
      freed = true;
    };
    const failure = new Error('no route');
    expect(await rejectionOf(call({ fails: failure }).answer)).toBe(failure);
    expect(freed).toBe(true);
    expect((await respond()).headers.get(REPLAYED)).toBeNull();
    expect(runs).toHaveLength(2);
  });

  it('leaves the failure unchanged and adds a line to the log if it cannot be freed', async () => {
    const failure = new Error('no route');
    store.free = async () => {
      throw new Error('no database');
    };
    const failed = call({ fails: failure });
    expect(await rejectionOf(failed.answer)).toBe(failure);
    expect(warnings).toEqual([
      {
        message: 'claim not freed',
        fields: { requestId: failed.requestId, failure: 'Error: no database' },
      },
    ]);
  });

  it('never exposes the request to the database, nor a hash that others could compute', async () => {
    await respond({ body: 'a short prompt' });
    await respond({ body: 'a short prompt', name: 'second', credential: 'uis_other' });
    const [first, second] = [...store.claims.values()];
    expect(first?.requestHash).toMatch(/^[0-9a-f]{64}$/);
    expect(second?.requestHash).not.toBe(first?.requestHash);
    expect(first?.id).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a duplicate of a running call', () => {
  it('waits for the response of the first call, and counts once', async () => {
    const first = call({ takesMs: 10_000 });
    await time.advance(100);
    const second = call();
    expect(await (await time.until(second.answer)).text()).toBe(first.requestId);
    expect(counted).toBe(1);
    expect(runs).toEqual([first.requestId]);
  });

  it('sends the database fewer than ten requests a second', async () => {
    let readCount = 0;
    const { read } = store;
    call({ takesMs: 10_000 });
    await time.advance(100);
    store.read = (id, nowMs) => {
      readCount += 1;
      return read.call(store, id, nowMs);
    };
    await respond();
    expect(readCount).toBeGreaterThan(10);
    expect(readCount).toBeLessThan(100);
  });

  it('gives up after 25 seconds, and states when to retry', async () => {
    call({ takesMs: 5 * MINUTE_MS });
    await time.advance(100);
    const second = call();
    let rejection: unknown;
    second.answer.catch((failure: unknown) => {
      rejection = failure;
    });
    await time.advance(24_900);
    expect(rejection).toBeUndefined();
    await time.advance(300);
    expect(rejection).toMatchObject({
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
    const startMs = time.clock();
    await rejectionOf(call({ remainingMs }).answer);
    expect(time.clock() - startMs).toBe(waitsMs);
  });

  it('gives a streamed call no function to store its response, because the complete response is never in memory', async () => {
    const [streamed, single] = [call({ name: 'a', stream: true }), call({ name: 'b' })];
    await Promise.all([time.until(streamed.answer), time.until(single.answer)]);
    expect(offered).toEqual([single.requestId]);
  });

  it.each<[string, Call, Call]>([
    ['the call is streamed', { stream: true }, { stream: true }],
    ['its body differs', {}, { body: 'another' }],
  ])('fails at once if %s', async (_case, first, changes) => {
    call({ ...first, takesMs: 10_000 });
    await time.advance(100);
    const startMs = time.clock();
    expect(await rejectionOf(call(changes).answer)).toMatchObject({ code: 'idempotency_key_reused' });
    expect(time.clock()).toBe(startMs);
  });

  it('fails if another request has claimed the key before the first response arrived', async () => {
    call({ takesMs: 2_000 });
    await time.advance(100);
    const second = call();
    await time.advance(1_000);
    const [claim] = [...store.claims.values()];
    if (claim === undefined) throw new Error('nothing is claimed');
    // The first claim has expired, and a call with another body has the key now.
    store.claims.set(claim.id, { ...claim, requestHash: 'another', isDone: true });
    expect(await rejectionOf(second.answer)).toMatchObject({ code: 'idempotency_key_reused' });
  });
});

describe('the claim of a running call', () => {
  /** Counts the requests that change the table, by method. */
  function countWrites(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const method of ['claim', 'renew', 'storeResponse', 'free'] as const) {
      const write = store[method].bind(store) as (...args: unknown[]) => Promise<never>;
      store[method] = (...args: unknown[]) => {
        counts[method] = (counts[method] ?? 0) + 1;
        return write(...args);
      };
    }
    return counts;
  }

  it.each([
    ['no write in 29 s', 29_000, {}],
    ['two writes in 70 s', 70_000, { renew: 2 }],
  ])('costs %s, in addition to the claim and the response', async (_title, takesMs, renewals) => {
    const counts = countWrites();
    await respond({ takesMs });
    expect(counts).toEqual({ claim: 1, storeResponse: 1, ...renewals });
    expect(time.timers).toBe(0);
  });

  it.each<[string, Call, object]>([
    ['fails', { takesMs: 40_000, fails: new Error('no route') }, { claim: 1, renew: 1, free: 1 }],
    ['is streamed, whose key is used up in any case', { takesMs: 70_000, stream: true }, { claim: 1 }],
  ])('costs no write after the call if the call %s', async (_title, options, writes) => {
    const counts = countWrites();
    await respond(options).catch(() => {});
    expect(time.timers).toBe(0);
    await time.advance(5 * MINUTE_MS);
    expect(counts).toEqual(writes);
  });

  it('passes to another call 55 s after its process has died, not before', async () => {
    const dead = call({ takesMs: 14 * MINUTE_MS });
    await time.advance(100);
    store.renew = () => new Promise(() => {});
    await time.advance(45_000);
    const startMs = time.clock();
    const second = call();
    expect(await (await time.until(second.answer)).text()).toBe(second.requestId);
    expect(time.clock() - startMs).toBeGreaterThanOrEqual(9_900);
    expect(time.clock() - startMs).toBeLessThan(10_200);
    expect(runs).toEqual([dead.requestId, second.requestId]);
  });

  it('lasts its whole time, even if its call has waited for another one before', async () => {
    call({ takesMs: 20_000, fails: new Error('no route') }).answer.catch(() => {});
    await time.advance(100);
    call({ takesMs: MINUTE_MS });
    await time.advance(20_000);
    const [claim] = [...store.claims.values()];
    expect((claim?.claimedUntilMs ?? 0) - time.clock()).toBeGreaterThan(54_000);
  });

  it('survives an outage of the database of 20 s, which is logged', async () => {
    const { renew } = store;
    const first = call({ takesMs: 2 * MINUTE_MS });
    await time.advance(100);
    store.renew = async () => {
      throw new Error('no database');
    };
    await time.advance(50_000);
    store.renew = renew;
    await time.advance(15_000);
    expect(await rejectionOf(call().answer)).toMatchObject({ code: 'idempotent_request_in_progress' });
    await time.until(first.answer);
    expect(runs).toEqual([first.requestId]);
    expect(warnings.length).toBeGreaterThan(2);
    expect(warnings[0]).toEqual({
      message: 'claim not renewed',
      fields: { requestId: first.requestId, failure: 'Error: no database' },
    });
  });

  it('leaves a call that cannot renew it: the call has no response, and that of the next one is replayed', async () => {
    store.renew = async () => {
      throw new Error('no database');
    };
    const first = call({ takesMs: 2 * MINUTE_MS });
    const lost = first.answer.catch((failure: unknown) => failure);
    await time.advance(56_000);
    const second = call();
    expect(await (await time.until(second.answer)).text()).toBe(second.requestId);
    expect(await time.until(lost)).toMatchObject({ code: 'idempotent_request_in_progress', status: 503 });
    expect(await (await respond()).text()).toBe(second.requestId);
    expect(runs).toEqual([first.requestId, second.requestId]);
  });
});
