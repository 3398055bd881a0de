import { describe, expect, it } from '@jest/globals';
import { WalletTurns } from '../../../../lambdas/adapters/ledger/wallet/turns.ts';
import type { Hold, HoldResult } from '../../../../lambdas/core/ledger/ports.ts';

const holdOf = (amount: bigint): Hold => ({
  id: `req_${amount}`,
  keyId: 'key_1',
  kind: 'chat',
  amount,
  created: 0,
  expires: 1,
});

const REFUSED: HoldResult = { granted: false, wallet: undefined };
const wallet = (accountId: string) => ({ granted: true, wallet: { accountId } }) as unknown as HoldResult;

/** Lets everything that is due run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Turns of one process; each that runs is noted and waits until the test ends it. */
function openTurns() {
  const turns = new WalletTurns();
  const running: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<HoldResult>>();
  const take = (name: string, hold: Hold, accountId = 'acc_1'): Promise<HoldResult> =>
    turns.take(accountId, hold, () => {
      running.push(name);
      const end = Promise.withResolvers<HoldResult>();
      ends.set(name, end);
      return end.promise;
    });
  const end = async (name: string, result: HoldResult | Error): Promise<void> => {
    const turn = ends.get(name);
    if (turn === undefined) throw new Error(`the turn of ${name} has not begun`);
    if (result instanceof Error) turn.reject(result);
    else turn.resolve(result);
    await settled();
  };
  return { take, end, running };
}

describe('calls that need money or places of other parts', () => {
  it('take turns in the order in which they came, each with the result of its own', async () => {
    const { take, end, running } = openTurns();
    const names = ['a', 'b', 'c'];
    const results = names.map((name) => take(name, holdOf(1n)));
    for (const [at, name] of names.entries()) {
      await settled();
      expect(running).toEqual(names.slice(0, at + 1));
      await end(name, wallet(name));
    }
    expect(await Promise.all(results)).toEqual(names.map(wallet));
  });

  it('do not wait for those of another account', async () => {
    const { take, end, running } = openTurns();
    const results = [take('a', holdOf(1n)), take('b', holdOf(1n), 'acc_2')];
    await settled();
    expect(running).toEqual(['a', 'b']);
    for (const name of ['a', 'b']) await end(name, wallet(name));
    expect(await Promise.all(results)).toHaveLength(2);
  });

  it('go on after one that failed, and its failure is its own', async () => {
    const { take, end } = openTurns();
    const failing = take('a', holdOf(1n));
    const next = take('b', holdOf(1n));
    const failed = expect(failing).rejects.toThrow('no answer');
    await settled();
    await end('a', new Error('no answer'));
    await end('b', wallet('b'));
    await failed;
    expect(await next).toEqual(wallet('b'));
  });
});

describe('a refusal', () => {
  it('holds for the calls that waited when its turn began, and for no later one', async () => {
    const { take, end, running } = openTurns();
    const first = take('first', holdOf(5n));
    const waiting = take('waiting', holdOf(5n));
    await settled();
    // Its turn has begun reading: what is credited from now on may not be seen by it.
    const late = take('late', holdOf(5n));
    await end('first', REFUSED);
    expect(await Promise.all([first, waiting])).toEqual([REFUSED, REFUSED]);
    expect(running).toEqual(['first', 'late']);
    await end('late', wallet('late'));
    expect(await late).toEqual(wallet('late'));
  });

  it('is forgotten when nobody waits', async () => {
    const { take, end, running } = openTurns();
    const first = take('first', holdOf(5n));
    await settled();
    await end('first', REFUSED);
    expect(await first).toEqual(REFUSED);
    const next = take('next', holdOf(5n));
    await settled();
    expect(running).toEqual(['first', 'next']);
    await end('next', REFUSED);
    expect(await next).toEqual(REFUSED);
  });

  it.each([
    ['less', holdOf(4n), false],
    ['as much', holdOf(5n), true],
    ['more', holdOf(6n), true],
  ])('is shared with a call that waited and wants %s: %#', async (_what, wanted, shared) => {
    const { take, end, running } = openTurns();
    const before = take('before', holdOf(1n));
    await settled();
    const [refused, other] = [take('refused', holdOf(5n)), take('other', wanted)];
    await end('before', wallet('before'));
    await end('refused', REFUSED);
    expect(await Promise.all([before, refused])).toEqual([wallet('before'), REFUSED]);
    expect(running.includes('other')).toBe(!shared);
    if (!shared) await end('other', wallet('other'));
    expect(await other).toEqual(shared ? REFUSED : wallet('other'));
  });

  it('is not shared where the call was granted', async () => {
    const { take, end, running } = openTurns();
    const before = take('before', holdOf(1n));
    await settled();
    const results = [take('a', holdOf(5n)), take('b', holdOf(5n))];
    await end('before', wallet('before'));
    await end('a', wallet('a'));
    expect(running).toEqual(['before', 'a', 'b']);
    await end('b', wallet('b'));
    expect(await Promise.all([before, ...results])).toHaveLength(3);
  });
});
