import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../tools/test-kit/fake-time.ts';
import { within } from './within.ts';

describe('a wait with a limit', () => {
  it('ends with the work, and leaves no timer', async () => {
    const time = new FakeTime();
    expect(await within(time.after, 10, Promise.resolve('done'))).toBe('done');
    await expect(within(time.after, 10, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(time.timers).toBe(0);
  });

  it('ends with nothing after its time if the work takes longer', async () => {
    const time = new FakeTime();
    const waiting = within(time.after, 10, new Promise<string>(() => {}));
    await time.advance(9);
    expect(time.timers).toBe(1);
    await time.advance(1);
    expect(await waiting).toBeUndefined();
  });
});
