import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect } from '@jest/globals';
import { aroundSend } from '../../lambdas/ledger/testing/failing-process.ts';
import { NEW_KEY_SECONDS, type Payout } from '../../lambdas/marketplace/core/payouts/payout.ts';
import type { DynamoPayoutStore } from '../../lambdas/marketplace/store/payouts/payout-store.ts';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { fileDatabase } from '../../lambdas/platform/testing/file-database.ts';
import { it } from '../../tools/test-kit/search.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import type { MarketMutation } from './history-world.ts';
import { CALL_FAULTS } from './interleaving.ts';
import { playHistory } from './play-history.ts';

const database = fileDatabase();

/** The rarest control is noticed by one history in a hundred. */
const MAX_SEARCHED = 400;

const play = (history: number, mutation?: MarketMutation) =>
  playHistory({ database, draw: drawsOf(`history ${history} of the market`), mutation });

/** Returns the object with some functions replaced. */
const changed = <T extends object>(whole: T, functions: Partial<T>): T =>
  new Proxy(whole, {
    get(target, name) {
      const value = (functions[name as keyof T] ?? Reflect.get(target, name)) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

let requests = 0;
function ownKey(key: string): string {
  requests += 1;
  return `${key}${requests}`;
}

/** Clients to which the wallets of buyers are as the schedule would see them without a check. */
function blindTo(...attributes: readonly string[]) {
  const around = (client: DynamoClients['client']) =>
    aroundSend(client, async (command, send) => {
      const response = (await send(command)) as { readonly Item?: Readonly<Record<string, unknown>> };
      if (!(command instanceof GetItemCommand) || command.input.TableName !== database.tables.wallets)
        return response;
      const kept = Object.entries(response.Item ?? {}).filter(([name]) => !attributes.includes(name));
      return { ...response, Item: Object.fromEntries(kept) };
    });
  return ({ client, onceClient }: DynamoClients): DynamoClients => ({
    client: around(client),
    onceClient: around(onceClient),
  });
}

/** The payouts of a store as they would be read by a worker that treats a fact in another way. */
const readAs = (change: (payout: Payout) => Payout) => (store: DynamoPayoutStore) =>
  changed(store, {
    async find(key) {
      const payout = await store.find(key);
      return payout === undefined ? undefined : change(payout);
    },
  });

/** Rules that are each broken, as an error in the product would break them, and a history that notices it. */
const CONTROLS: readonly (MarketMutation & { readonly history: number })[] = [
  { what: 'each request to the provider has a key of its own', history: 28, keyOf: ownKey },
  {
    what: 'a further attempt does not look up the earlier one',
    history: 6,
    provider: (provider) =>
      changed(provider, { findTransfer: async () => undefined, findPayout: async () => undefined }),
  },
  {
    what: 'a new key does not wait for the old one',
    history: 201,
    store: readAs((payout) => ({
      ...payout,
      attempts: Object.fromEntries(
        Object.entries(payout.attempts).map(([step, attempt]) => [
          step,
          { ...attempt, at: attempt.at - NEW_KEY_SECONDS },
        ]),
      ),
    })),
  },
  {
    what: 'an end is not final',
    history: 7,
    store: readAs((payout) => (payout.returned ? payout : { ...payout, end: undefined })),
  },
  {
    what: 'an attempt is not recorded before its request',
    history: 12,
    store: (store) =>
      changed(store, {
        change: (before, after, effects) => store.change(before, { ...after, attempts: {} }, effects),
      }),
  },
  { what: 'granted credit counts as money', history: 8, grantsMoney: true },
  { what: 'a sale matures without a check', history: 56, due: blindTo('net_cash', 'owed') },
  { what: 'only a debt holds a sale', history: 138, due: blindTo('net_cash') },
];

const HISTORIES = rounds(8);

/** Histories that do not have these prove nothing of them. */
const FREQUENT = [
  'matured',
  'purchase',
  'paid call',
  'refund',
  'transfer',
  'payout',
  'event: reversal',
  'event: scan',
  ...CALL_FAULTS,
];
const RARE = ['held', 'renewed', 'unpaid', 'canceled payout'];
const REACHED = HISTORIES < 80 ? FREQUENT : [...FREQUENT, ...RARE];

describe('the market', () => {
  it('obeys its laws after each step of any history of requests, events, workers that die, and lost calls', async () => {
    const total: Record<string, number> = {};
    for (let history = 1; history <= HISTORIES; history += 1) {
      const { broken, counts } = await play(history);
      expect({ history, broken }).toEqual({ history, broken: undefined });
      for (const [kind, count] of Object.entries(counts)) total[kind] = (total[kind] ?? 0) + count;
    }
    expect(REACHED.filter((kind) => !total[kind])).toEqual([]);
  }, 3_600_000);

  it.each(CONTROLS)(
    'breaks a law if $what',
    async (...args: readonly unknown[]) => {
      const [{ history: known, ...mutation }] = args as [(typeof CONTROLS)[number]];
      // With another seed of the run, another history notices it.
      for (let history = known; history < known + MAX_SEARCHED; history += 1)
        if ((await play(history, mutation)).broken !== undefined) return;
      throw new Error('no history has noticed it');
    },
    1_200_000,
  );
});
