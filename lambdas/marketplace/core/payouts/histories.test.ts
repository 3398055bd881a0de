import { describe, expect, it } from '@jest/globals';
import { PayoutModel, type PayoutMutation, UNCHANGED } from '../../testing/payouts/payout-model.ts';
import { NEW_KEY_SECONDS } from './payout.ts';

const SEEDS = 150;
const STEPS = 400;

/** A generator that repeats (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the law that a history breaks. */
async function play(seed: number, mutation: PayoutMutation): Promise<string | undefined> {
  const model = new PayoutModel(randomOf(seed), mutation);
  for (let step = 0; step < STEPS; step += 1) {
    await model.step();
    const [broken] = model.broken();
    if (broken !== undefined) return `${broken}: ${model.failure ?? ''}`;
  }
  await model.rest();
  counts.paid += model.events.length;
  counts.ended += [...model.payouts.values()].filter(({ end }) => end !== undefined).length;
  return model.broken()[0] ?? model.unsettled()[0];
}

const counts = { paid: 0, ended: 0 };

let requests = 0;
function ownKey(key: string): string {
  requests += 1;
  return `${key}${requests}`;
}

/** Rules that are each broken, as an error in the product would break them. */
const CONTROLS: readonly PayoutMutation[] = [
  { what: 'each request has a key of its own', keyOf: ownKey },
  {
    what: 'a further attempt does not look up the earlier one',
    provider: (provider) =>
      changed(provider, { findTransfer: async () => undefined, findPayout: async () => undefined }),
  },
  {
    what: 'a new key does not wait for the old one',
    store: (store) =>
      changed(store, {
        async find(key) {
          const payout = await store.find(key);
          if (payout === undefined) return undefined;
          const attempts = Object.fromEntries(
            Object.entries(payout.attempts).map(([step, attempt]) => [
              step,
              { ...attempt, at: attempt.at - NEW_KEY_SECONDS },
            ]),
          );
          return { ...payout, attempts };
        },
      }),
  },
  {
    what: 'an end is not final',
    store: (store) =>
      changed(store, {
        async find(key) {
          const payout = await store.find(key);
          return payout === undefined || payout.returned ? payout : { ...payout, end: undefined };
        },
      }),
  },
  {
    what: 'an attempt is not recorded before its request',
    store: (store) =>
      changed(store, {
        change: async (before, after, effects) => store.change(before, { ...after, attempts: {} }, effects),
      }),
  },
];

/** Returns the object with some functions replaced. */
const changed = <T extends object>(whole: T, functions: Partial<T>): T =>
  new Proxy(whole, {
    get(target, name) {
      const replaced = functions[name as keyof T] as unknown;
      if (replaced !== undefined) return replaced;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('payouts', () => {
  it('move money once in any history of workers that stall, overlap and die at a provider with faults', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1)
      expect({ seed, broken: await play(seed, UNCHANGED) }).toEqual({ seed, broken: undefined });
    expect(counts.paid).toBeGreaterThan(SEEDS);
    expect(counts.ended).toBeGreaterThan(SEEDS);
  }, 120_000);

  it.each(CONTROLS)(
    'break a law if $what',
    async (mutation) => {
      for (let seed = 1; seed <= SEEDS; seed += 1) if ((await play(seed, mutation)) !== undefined) return;
      throw new Error('no history has noticed it');
    },
    120_000,
  );
});
