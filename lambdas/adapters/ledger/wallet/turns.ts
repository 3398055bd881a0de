/**
 * Calls of this process that need money or places from other parts of a wallet take turns: together they would only
 * cancel each other's transactions. What one was refused is refused to all that waited for it and want no less.
 */
import type { Hold, HoldResult } from '../../../core/ledger/ports.ts';

interface Queue {
  waiting: number;
  last: Promise<unknown>;
  /** The refusal of the newest turn, and the calls that had come by the time it began. */
  refusal: { readonly arrivals: number; readonly hold: Hold; readonly result: HoldResult } | undefined;
  arrivals: number;
}

export class WalletTurns {
  readonly #queues = new Map<string, Queue>();

  /**
   * Runs the turn when those before it have ended, and says whether there were any; a turn may end with something else
   * than a result. Forgets the wallet when nobody waits.
   */
  async take<Other = never>(
    accountId: string,
    hold: Hold,
    turn: (waited: boolean) => Promise<HoldResult | Other>,
  ): Promise<HoldResult | Other> {
    const queue = this.#queues.get(accountId) ?? {
      waiting: 0,
      last: Promise.resolve(),
      refusal: undefined,
      arrivals: 0,
    };
    this.#queues.set(accountId, queue);
    const waited = queue.waiting > 0;
    queue.waiting += 1;
    queue.arrivals += 1;
    const arrival = queue.arrivals;
    const mine = queue.last.then(async () => {
      const { refusal } = queue;
      if (refusal !== undefined && refusal.arrivals >= arrival && wantsNoLess(hold, refusal.hold))
        return refusal.result;
      const { arrivals } = queue;
      const result = await turn(waited);
      if (isRefused(result)) queue.refusal = { arrivals, hold, result };
      return result;
    });
    queue.last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.#queues.delete(accountId);
    }
  }
}

const isRefused = (result: unknown): result is HoldResult =>
  typeof result === 'object' && result !== null && 'granted' in result && result.granted === false;

const wantsNoLess = (hold: Hold, refused: Hold): boolean => hold.amount >= refused.amount;
