import { describe, expect, it } from '@jest/globals';
import { sweepHolds } from '../consumers/sweep-holds/consumer.ts';
import type { Wallet } from './ports.ts';
import type { Recovery } from './recovery.ts';
import { SweepError, sweep } from './sweep.ts';

const wallet = (accountId: string) => ({ accountId, holds: [] }) as unknown as Wallet;

/** Two pages of wallets, two of which lies in several shards; those named cannot be recovered, or tidied. */
function broken(...names: readonly string[]) {
  const recovered: string[] = [];
  const recover = async (name: string) => {
    if (names.includes(name)) throw new RangeError(`${name} cannot be read`);
    recovered.push(name);
    return { settled: 1, released: 2 };
  };
  const recovery = {
    recoverWallet: ({ accountId }: Wallet) => recover(accountId),
  } as unknown as Recovery;
  const pages = async (after?: string) => {
    const wallets = after === undefined ? [wallet('a'), wallet('b')] : [wallet('c')];
    const untidy = after === undefined ? ['p1'] : ['p2'];
    return { wallets, untidy, next: after === undefined ? 'b' : undefined };
  };
  const tidy = async (accountId: string) => {
    await recover(accountId);
  };
  return { recovered, recovery, pages, tidy };
}

describe('a sweep', () => {
  it('recovers everything when nothing is broken', async () => {
    const { recovered, recovery, pages, tidy } = broken();
    expect(await sweep(pages, recovery, tidy)).toEqual({ settled: 3, released: 6 });
    expect(recovered).toEqual(['a', 'b', 'c', 'p1', 'p2']);
  });

  it.each([[['a']], [['b', 'p1']], [['a', 'b', 'p1', 'c', 'p2']]])(
    'passes over what cannot be recovered, and fails when all others are: %j',
    async (names) => {
      const { recovered, recovery, pages, tidy } = broken(...names);
      const failure = await sweep(pages, recovery, tidy).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(SweepError);
      expect(recovered).toEqual(['a', 'b', 'c', 'p1', 'p2'].filter((name) => !names.includes(name)));
      const wallets = recovered.filter((name) => name.length === 1).length;
      expect(failure).toMatchObject({
        failed: names.length,
        count: { settled: wallets, released: 2 * wallets },
        cause: { name: 'RangeError' },
        message: expect.stringContaining(`first that of ${names[0]}: ${names[0]} cannot be read`),
      });
    },
  );

  it('reports what it has done and what it has not, on the schedule too', async () => {
    const { recovery, pages, tidy } = broken('a');
    const reports: unknown[] = [];
    const run = sweepHolds({
      pages,
      tidy,
      recovery,
      sweepAlerts: async () => void reports.push('alerts'),
      onSwept: (count) => reports.push(count),
      clock: () => 0,
      log: { info() {}, warn() {}, error: (...line) => reports.push(line) },
    });
    await expect(run()).rejects.toThrow('1 wallets could not');
    expect(reports).toEqual([
      'alerts',
      { settled: 2, released: 4 },
      ['holds not recovered', { failed: 1, name: 'RangeError' }],
    ]);
  });

  it('recovers holds even if alerts fail, and fails then', async () => {
    const { recovered, recovery, pages, tidy } = broken();
    const sweepAlerts = () => Promise.reject(new Error('no alerts'));
    const log = { info() {}, warn() {}, error() {} };
    const run = sweepHolds({ pages, tidy, recovery, sweepAlerts, onSwept: () => {}, clock: () => 0, log });
    await expect(run()).rejects.toThrow('no alerts');
    expect(recovered).toContain('c');
  });
});
