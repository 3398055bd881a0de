import { describe, expect, it } from '@jest/globals';
import { createOpenCheck } from './open-check.ts';

const throttled = () => Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
const silent = () => Object.assign(new Error('no response'), { name: 'TimeoutError', $metadata: {} });

const MINUTE_MS = 60_000;

/** A process whose switch and clock the test sets. */
function createProcess() {
  const state = { nowMs: 1_000_000, reads: 0, read: async () => false };
  const check = createOpenCheck(
    () => {
      state.reads += 1;
      return state.read();
    },
    () => state.nowMs,
  );
  const request = async (): Promise<string> => {
    try {
      await check();
      return 'accepted';
    } catch (failure) {
      return (failure as { code: string }).code;
    }
  };
  return {
    state,
    check,
    request,
    reads: (value: boolean) => {
      state.read = async () => value;
    },
    fails: (failure: Error) => {
      state.read = () => Promise.reject(failure);
    },
  };
}

describe('the check of maintenance mode', () => {
  it('accepts the requests of an open service with one read in 5 s, however many there are', async () => {
    const { state, request, check } = createProcess();
    expect(await Promise.all([request(), request(), request()])).toEqual(Array(3).fill('accepted'));
    for (; state.nowMs < 1_004_999; state.nowMs += 50) expect(check()).toBeUndefined();
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
    let answer = (_isClosed: boolean) => {};
    state.read = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const first = request();
    state.nowMs += 2_000;
    answer(false);
    expect(await first).toBe('accepted');
    state.nowMs += 3_000;
    void check();
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
    await expect(check()).rejects.toMatchObject({ status: 503, code: 'maintenance', retryAfterSeconds: 30 });
  });

  it('reads a view again if the clock was set back', async () => {
    const { state, request, reads } = createProcess();
    await request();
    reads(true);
    state.nowMs -= MINUTE_MS;
    expect(await request()).toBe('maintenance');
  });
});

describe('a switch that cannot be read', () => {
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
