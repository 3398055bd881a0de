import { describe, expect, it } from '@jest/globals';
import { createStageCheck, type StageRecord, type VersionLayouts } from './stage-check.ts';

const throttled = () => Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
const silent = () => Object.assign(new Error('no response'), { name: 'TimeoutError', $metadata: {} });

const MINUTE_MS = 60_000;

/** A version that reads layout 2 of keys, writes layout 1, and knows no others. */
const VERSION: VersionLayouts = {
  unreadableKinds: (stage) => Object.keys(stage).filter((kind) => kind !== 'keys' || (stage.keys ?? 0) > 2),
  writtenLayout: (_kind, stage) => Math.min(1, stage.keys ?? 1),
};

/** A process whose record and clock the test sets. */
function createProcess() {
  const OPEN: StageRecord = { isClosed: false, layouts: {} };
  const state = { nowMs: 1_000_000, reads: 0, read: async () => OPEN, errors: [] as object[] };
  const check = createStageCheck({
    read: () => {
      state.reads += 1;
      return state.read();
    },
    version: VERSION,
    clock: () => state.nowMs,
    log: { error: (_message, fields = {}) => void state.errors.push(fields) },
  });
  const resultOf = async (run: () => Promise<void> | undefined): Promise<string> => {
    try {
      await run();
      return 'accepted';
    } catch (failure) {
      return (failure as { code: string }).code;
    }
  };
  return {
    state,
    check,
    request: () => resultOf(() => check.check('change')),
    get: () => resultOf(() => check.check('read')),
    prepare: () => resultOf(() => check.prepare()),
    reads: (isClosed: boolean, layouts: StageRecord['layouts'] = {}) => {
      state.read = async () => ({ isClosed, layouts });
    },
    fails: (failure: Error) => {
      state.read = () => Promise.reject(failure);
    },
  };
}

describe('the check of a stage that can be closed', () => {
  it('accepts the requests of an open service with one read in 5 s, however many there are', async () => {
    const { state, request, check } = createProcess();
    expect(await Promise.all([request(), request(), request()])).toEqual(Array(3).fill('accepted'));
    for (; state.nowMs < 1_004_999; state.nowMs += 50) expect(check.check('change')).toBeUndefined();
    expect(state.reads).toBe(1);
    state.nowMs = 1_005_000;
    expect(await request()).toBe('accepted');
    expect(state.reads).toBe(2);
  });

  it('rejects every request from 5 s and one read after the service was closed', async () => {
    const { state, request, reads } = createProcess();
    await request();
    reads(true);
    state.nowMs += 4_999;
    expect(await request()).toBe('accepted');
    state.nowMs += 1;
    expect([await request(), await request()]).toEqual(['maintenance', 'maintenance']);
    expect(state.reads).toBe(2);
  });

  it('counts the age of a view from the start of its read, not from its end', async () => {
    const { state, request, check } = createProcess();
    let answer = (_record: StageRecord) => {};
    state.read = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const first = request();
    state.nowMs += 2_000;
    answer({ isClosed: false, layouts: {} });
    expect(await first).toBe('accepted');
    state.nowMs += 3_000;
    void check.check('change');
    expect(state.reads).toBe(2);
  });

  it('accepts requests again within 5 s after the service was opened', async () => {
    const { state, request, reads } = createProcess();
    reads(true);
    expect(await request()).toBe('maintenance');
    reads(false);
    state.nowMs += 5_000;
    expect(await request()).toBe('accepted');
  });

  it('tells the caller of a closed service when to retry, and nothing about the reason', async () => {
    const { check, reads } = createProcess();
    reads(true);
    await expect(check.check('change')).rejects.toMatchObject({
      status: 503,
      code: 'maintenance',
      retryAfterSeconds: 30,
    });
  });

  it('reads a view again if the clock was set back', async () => {
    const { state, request, reads } = createProcess();
    await request();
    reads(true);
    state.nowMs -= MINUTE_MS;
    expect(await request()).toBe('maintenance');
  });
});

describe('a record that cannot be read', () => {
  it.each([silent(), throttled()])('leaves the last view valid for 5 minutes: $name', async (failure) => {
    for (const isClosed of [false, true]) {
      const { state, request, reads, fails } = createProcess();
      reads(isClosed);
      const last = await request();
      fails(failure);
      state.nowMs += 5 * MINUTE_MS - 1;
      expect(await request()).toBe(last);
      state.nowMs += 1_001;
      expect([await request(), await request()]).toEqual(['overloaded', 'overloaded']);
      reads(false);
      expect(await request()).toBe('accepted');
    }
  });

  it('does not open a closed service, however long it lasts', async () => {
    const { state, request, reads, fails } = createProcess();
    reads(true);
    await request();
    fails(throttled());
    for (let minutes = 0; minutes < 30; minutes += 1) {
      state.nowMs += MINUTE_MS;
      expect(await request()).not.toBe('accepted');
    }
  });

  it('causes one read a second, so that a throttle ends', async () => {
    const { state, request, fails } = createProcess();
    await request();
    fails(throttled());
    for (state.nowMs += 5_000; state.nowMs < 1_010_000; state.nowMs += 100) await request();
    expect(state.reads).toBe(1 + 5);
  });

  it('stops a new process, except if a burst of new processes throttles their reads', async () => {
    const { request, fails } = createProcess();
    fails(silent());
    expect(await request()).toBe('overloaded');
    fails(
      Object.assign(new Error('no'), { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } }),
    );
    expect(await request()).toBe('overloaded');
    fails(throttled());
    expect(await request()).toBe('accepted');
  });

  it('stops a new process whose reads are throttled for 5 minutes, and at once when one shows a closed service', async () => {
    const { state, request, reads, fails } = createProcess();
    fails(throttled());
    await request();
    state.nowMs += 5 * MINUTE_MS;
    expect(await request()).toBe('overloaded');
    const another = createProcess();
    another.fails(throttled());
    await another.request();
    another.reads(true);
    another.state.nowMs += 1_000;
    expect(await another.request()).toBe('maintenance');
    reads(false);
    expect(await request()).toBe('accepted');
  });
});

describe('a stage whose data may be newer', () => {
  const NEWER = { keys: 3 };

  it('stops an older process for every request within 5 s and one read, and logs the kinds once', async () => {
    const { state, request, get, reads } = createProcess();
    await request();
    reads(false, { ...NEWER, 'wallets/later#': 2 });
    state.nowMs += 5_000;
    const codes = [await get(), await request(), await get()];
    expect(codes).toEqual(Array(3).fill('outdated_version'));
    state.nowMs += 5_000;
    await get();
    expect(state.errors).toEqual([{ kinds: ['keys', 'wallets/later#'] }]);
  });

  it('accepts a process that reads its layouts, and after the way back', async () => {
    const { state, get, reads } = createProcess();
    reads(false, { keys: 2 });
    expect(await get()).toBe('accepted');
    reads(false, NEWER);
    state.nowMs += 5_000;
    expect(await get()).toBe('outdated_version');
    reads(false, {});
    state.nowMs += 5_000;
    expect(await get()).toBe('accepted');
  });

  it('stops the first request of a new process, or of one that slept, before it writes', async () => {
    const { state, prepare, check, reads } = createProcess();
    reads(false, NEWER);
    expect(await prepare()).toBe('outdated_version');
    const slept = createProcess();
    await slept.prepare();
    slept.reads(false, NEWER);
    slept.state.nowMs += 5 * MINUTE_MS;
    expect(await slept.prepare()).toBe('outdated_version');
    expect(check.layoutOf('keys')).toBe(1);
    expect(state.reads).toBe(1);
  });

  it('renews its record during the request of a process in use', async () => {
    const { state, check, prepare, get, reads } = createProcess();
    await prepare();
    reads(false, NEWER);
    state.nowMs += 5_000;
    expect(check.prepare()).toBeUndefined();
    expect(await get()).toBe('outdated_version');
  });
});
