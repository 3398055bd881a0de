import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { MAX_HOLDS, type Part, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { Placements } from '../../../../lambdas/adapters/ledger/wallet/placement.ts';
import type { Hold } from '../../../../lambdas/core/ledger/ports.ts';
import { it } from '../../../search.ts';

const ACCOUNT = 'acc_1';

const holdOf = (amount: bigint): Hold => ({
  id: 'req_1',
  keyId: 'key_1',
  kind: 'chat',
  amount,
  created: 0,
  expires: 1,
});

const NONE: ReadonlySet<number> = new Set();

/** A part with open holds, as a request for a hold finds it. */
const partWith = (index: number, open: number, fields: Partial<Part> = {}): Part => ({
  walletId: partId(ACCOUNT, index),
  balance: 1_000n,
  holds: Array.from({ length: open }, (_, at) => ({ ...holdOf(1n), id: `req_${at}` })),
  owed: undefined,
  entries: 0,
  spent: 0n,
  spentByDay: new Map(),
  received: 0n,
  used: 0,
  parts: 1,
  total: undefined,
  ...fields,
});

/** A process that draws the numbers given, and then 0. */
function openProcess(parts: number, ...draws: readonly number[]) {
  const queue = [...draws];
  const placements = new Placements(() => queue.shift() ?? 0);
  const placement = placements.of(ACCOUNT);
  placement.parts = parts;
  return { placements, placement };
}

describe('the part that a process tries first', () => {
  it('is any of the wallet’s while it has none of its own', () => {
    for (const [draw, index] of [
      [0, 0],
      [0.24, 0],
      [0.25, 1],
      [0.999, 3],
    ] as const) {
      const { placements, placement } = openProcess(4, draw);
      expect(placements.pick(placement, holdOf(1n))).toBe(index);
    }
  });

  it('is the same one until its places are taken, and then none until one is free', () => {
    const { placements, placement } = openProcess(4, 0.5);
    const picks = Array.from({ length: MAX_HOLDS + 1 }, () => placements.pick(placement, holdOf(1n)));
    expect(picks).toEqual([...Array.from({ length: MAX_HOLDS }, () => 2), undefined]);
    for (let open = 1; open <= MAX_HOLDS; open += 1) placements.learn(placement, 2, partWith(2, open), true);
    expect(placements.pick(placement, holdOf(1n))).toBeUndefined();
    placements.ended(placement, partWith(2, MAX_HOLDS - 1));
    expect(placements.pick(placement, holdOf(1n))).toBe(2);
    expect(placements.pick(placement, holdOf(1n))).toBeUndefined();
  });

  it('is none of which it knows that it has too little', () => {
    const { placements, placement } = openProcess(4, 0.5);
    placements.pick(placement, holdOf(1n));
    placements.learn(placement, 2, partWith(2, 1, { balance: 60n }), true);
    expect(placements.pickKnown(placement, holdOf(61n))).toBeUndefined();
    expect(placements.pickAny(placement, holdOf(61n), NONE)).toEqual({ index: 2, lacks: true });
    expect(placements.pickKnown(placement, holdOf(60n))).toBe(2);
  });

  it('is another than those that were tried, where a draw finds one', () => {
    const { placements, placement } = openProcess(4, 0.1, 0.3, 0.6, 0.9);
    expect(placements.pickAny(placement, holdOf(1n), new Set([0, 1]))).toEqual({ index: 2, lacks: false });
    const all = new Set([0, 1, 2, 3]);
    expect(openProcess(4).placements.pickAny({ parts: 4, own: new Map() }, holdOf(1n), all).index).toBe(0);
  });

  it('is never one that it has seen full, whatever has happened', () => {
    const event = fc.record({
      what: fc.constantFrom('pick', 'pickAny', 'end', 'absent', 'take'),
      index: fc.nat(3),
      others: fc.nat(MAX_HOLDS),
      granted: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.99 })),
        (events, draws) => {
          const placements = new Placements(() => draws.next().value ?? 0);
          const placement = placements.of(ACCOUNT);
          placement.parts = 4;
          /** Open holds by part, as the process has last seen them. */
          const seen = new Map<number, number>();
          const mine = [0, 0, 0, 0];
          const see = (index: number, others: number, granted: boolean) => {
            const open = Math.min(MAX_HOLDS, others + (mine[index] ?? 0));
            seen.set(index, open);
            return { open, granted };
          };
          for (const { what, index, others, granted } of events) {
            if (what === 'pick' || what === 'pickAny') {
              const pick =
                what === 'pick'
                  ? placements.pickKnown(placement, holdOf(1n))
                  : placements.pickAny(placement, holdOf(1n), NONE).index;
              if (pick === undefined) continue;
              if (what === 'pick') expect(seen.get(pick) ?? 0).toBeLessThan(MAX_HOLDS);
              const given = granted && (mine[pick] ?? 0) < MAX_HOLDS;
              if (given) mine[pick] = (mine[pick] ?? 0) + 1;
              const { open } = see(pick, given ? others : MAX_HOLDS, given);
              placements.learn(placement, pick, partWith(pick, open, { parts: 4 }), given);
            } else if (what === 'end' && (mine[index] ?? 0) > 0) {
              mine[index] = (mine[index] ?? 0) - 1;
              const { open } = see(index, Math.min(others, MAX_HOLDS - 1), true);
              placements.ended(placement, partWith(index, open, { parts: 4 }));
            } else if (what === 'absent' && mine[index] === 0 && placement.own.has(index)) {
              seen.delete(index);
              placements.learn(placement, index, undefined, false);
            } else if (what === 'take' && (mine[index] ?? 0) === 0 && !placement.own.has(index)) {
              mine[index] = 1;
              seen.set(index, Math.max(1, 1 + Math.min(others, MAX_HOLDS - 1)));
              const part = partWith(index, Math.min(others, MAX_HOLDS - 1));
              placements.taken(placement, { walletId: part.walletId, part }, 0n);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a part of a process', () => {
  it('is not its own any more when others have taken every place, and is while one of its own is open', () => {
    const { placements, placement } = openProcess(4, 0.5);
    placements.pick(placement, holdOf(1n));
    placements.learn(placement, 2, partWith(2, MAX_HOLDS), true);
    expect([...placement.own.keys()]).toEqual([2]);
    placements.ended(placement, partWith(2, MAX_HOLDS));
    expect([...placement.own.keys()]).toEqual([]);
  });

  it('is not its own either when it was full before it had one there', () => {
    const { placements, placement } = openProcess(4, 0.5, 0.75);
    placements.pick(placement, holdOf(1n));
    placements.learn(placement, 2, partWith(2, MAX_HOLDS), false);
    expect([...placement.own.keys()]).toEqual([]);
    expect(placements.pick(placement, holdOf(1n))).toBe(3);
  });

  it('counts the requests that are in flight as taken places', () => {
    const { placements, placement } = openProcess(4, 0.5);
    for (let inFlight = 0; inFlight < 3; inFlight += 1) placements.pick(placement, holdOf(1n));
    placements.learn(placement, 2, partWith(2, 1), true);
    const picks = Array.from({ length: 2 }, () => placements.pick(placement, holdOf(1n)));
    expect(picks).toEqual([2, undefined]);
  });

  it('is forgotten where it does not exist, and another may be drawn', () => {
    const { placements, placement } = openProcess(4, 0.5, 0.75);
    placements.pick(placement, holdOf(1n));
    placements.learn(placement, 2, undefined, false);
    expect(placements.pick(placement, holdOf(1n))).toBe(3);
  });

  it('that a transfer made or filled is its own, with what it has then', () => {
    const { placements, placement } = openProcess(4);
    placements.taken(placement, { walletId: partId(ACCOUNT, 3), part: undefined }, 50n);
    expect(placements.pickKnown(placement, holdOf(51n))).toBeUndefined();
    expect(placements.pickKnown(placement, holdOf(50n))).toBe(3);
    const filled = partWith(1, 2, { balance: 30n });
    placements.taken(placement, { walletId: filled.walletId, part: filled }, 70n);
    expect(placements.pickKnown(placement, holdOf(100n))).toBe(1);
    expect(placements.pickKnown(placement, holdOf(100n))).toBeUndefined();
  });

  it('says how many parts there are only if it is the first one', () => {
    const { placements, placement } = openProcess(1);
    placements.learn(placement, 0, partWith(0, 0, { parts: 8 }), true);
    expect(placement.parts).toBe(8);
    placements.learn(placement, 3, partWith(3, 0), true);
    placements.ended(placement, partWith(3, 0));
    expect(placement.parts).toBe(8);
    placements.ended(placement, partWith(0, 0, { parts: 2 }));
    expect(placement.parts).toBe(2);
  });

  it('is remembered with its wallet', () => {
    const { placements, placement } = openProcess(4);
    expect(placements.of(ACCOUNT)).toBe(placement);
    expect(placements.of('acc_2')).not.toBe(placement);
  });
});
