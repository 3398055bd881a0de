import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import { createWalletStore } from '../../../ledger/store/wallet/store.ts';
import { FAULTS, FailingProcess } from '../../../ledger/testing/failing-process.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { cents, codeOf, FEE_BASIS_POINTS, MarketWorld } from '../../testing/market-world.ts';
import { putAcquisition, readAcquisitions } from '../listings/acquisitions.ts';

const database = fileDatabase();
let world: MarketWorld;
beforeAll(() => {
  world = new MarketWorld(database);
});

const net = (count: number): bigint => (cents(count) * BigInt(10_000 - FEE_BASIS_POINTS)) / 10_000n;

/** A seller with a listing, and a buyer with money and granted credit. */
async function market({ paid = 0, granted = 0, price = 400 } = {}) {
  const [seller, buyer] = await Promise.all([world.open(), world.open()]);
  const listing = await world.list(seller, price);
  const order = paid === 0 ? '' : await world.pay(buyer, paid);
  if (granted > 0) await world.grant(buyer, granted);
  return { seller, buyer, listing, order };
}

/** Everything of a seller and a buyer that money changes, if it is exact. */
async function stateOf({ seller, buyer }: { readonly seller: string; readonly buyer: string }) {
  expect(await world.audit(seller, buyer)).toEqual([]);
  const page = await world.earnings.list(seller, 100);
  return {
    balance: await world.earnings.balance(seller),
    buyer: await world.wallet(buyer),
    seller: await world.wallet(seller),
    lines: page.entries.map(({ transaction: { type, amount }, sale }) => ({
      type,
      amount,
      status: sale?.status,
    })),
  };
}

const acquired = async (accountId: string) =>
  (await readAcquisitions(database.client, database.tables.listings, accountId, { limit: 9 })).entries;

type Parties = Awaited<ReturnType<typeof market>> & { readonly charge: string };

/** Every operation on money, after what leads to it. */
const OPERATIONS: Readonly<
  Record<
    string,
    {
      readonly prepare: () => Promise<Parties>;
      readonly run: (parties: Parties, clients?: MarketWorldClients) => Promise<unknown>;
    }
  >
> = {
  'a purchase with money': {
    prepare: async () => ({ ...(await market({ paid: 500 })), charge: '' }),
    run: ({ buyer, listing }, clients) => world.buy(buyer, listing, clients),
  },
  'a purchase with granted credit': {
    prepare: async () => ({ ...(await market({ granted: 500 })), charge: '' }),
    run: ({ buyer, listing }, clients) => world.buy(buyer, listing, clients),
  },
  'a partial refund': {
    prepare: bought({ paid: 500 }),
    run: ({ seller, charge }, clients) => world.refund(seller, { charge, cents: 150, key: 'k' }, clients),
  },
  'a complete refund': {
    prepare: bought({ paid: 500 }),
    run: ({ seller, charge }, clients) => world.refund(seller, { charge, key: 'k' }, clients),
  },
  'the return of a sale by an operator': {
    prepare: bought({ granted: 500 }),
    run: async ({ seller, charge }, clients) => {
      // The run before may have returned it.
      expect(['done', 'conflict']).toContain(await codeOf(world.returnSale(seller, charge, clients)));
    },
  },
  'a transfer': {
    prepare: matured({ paid: 500 }),
    run: ({ seller }, clients) => world.transfer(seller, { amount: cents(100), key: 'k' }, clients),
  },
  'the maturity of money': {
    prepare: due({ paid: 500 }),
    run: (_parties, clients) => world.processDue(clients),
  },
  'the maturity of granted credit': {
    prepare: due({ granted: 500 }),
    run: (_parties, clients) => world.processDue(clients),
  },
  'the return of what a dispute took': {
    prepare: async () => {
      const parties = await bought({ paid: 500 })();
      await world.reverse(parties.buyer, parties.order, 'dp_1', 350);
      world.day += 91;
      return parties;
    },
    run: (_parties, clients) => world.processDue(clients),
  },
};

type MarketWorldClients = FailingProcess['clients'];

function bought(funds: Parameters<typeof market>[0]) {
  return async (): Promise<Parties> => {
    const parties = await market(funds);
    return { ...parties, charge: await world.buy(parties.buyer, parties.listing) };
  };
}

function due(funds: Parameters<typeof market>[0]) {
  return async (): Promise<Parties> => {
    const parties = await bought(funds)();
    world.day += 8;
    return parties;
  };
}

function matured(funds: Parameters<typeof market>[0]) {
  return async (): Promise<Parties> => {
    const parties = await due(funds)();
    await world.processDue();
    return parties;
  };
}

describe('money of the market', () => {
  it.each(Object.entries(OPERATIONS))(
    'moves once, whichever database call fails, is lost, is late or is the last of its process: %s',
    async (_name, { prepare, run }) => {
      const healthy = await prepare();
      const counted = new FailingProcess(database, new Map());
      await run(healthy, counted.clients);
      const expected = await stateOf(healthy);
      expect(counted.calls).toBeGreaterThan(0);
      // Most calls of a run are queries of the index, one like the other.
      for (const call of offsets(1, counted.calls, counted.calls > 10 ? 4 : 1)) {
        for (const fault of FAULTS) {
          const parties = await prepare();
          const failing = new FailingProcess(database, new Map([[call, fault]]));
          await run(parties, failing.clients).catch(() => undefined);
          await run(parties);
          await failing.landLate();
          expect({ call, fault, state: await stateOf(parties) }).toEqual({ call, fault, state: expected });
        }
      }
    },
    120_000,
  );

  it.each([{ paid: 500 }, { granted: 500 }])(
    'returns at most once if an operator, the seller and its maturity act at the same time: %j',
    async (funds) => {
      for (let round = 0; round < 5; round += 1) {
        const parties = await due(funds)();
        const { seller, buyer, charge, listing } = parties;
        // The balance of the seller covers a second return.
        const other = await world.open();
        await world.grant(other, 400);
        await world.buy(other, listing);
        await Promise.allSettled([
          world.returnSale(seller, charge),
          world.refund(seller, { charge, cents: 150 }),
          world.processDue(),
          world.returnSale(seller, charge),
        ]);
        const { returned = 0n } = (await world.sale(seller, charge)) ?? {};
        expect((await stateOf(parties)).buyer).toEqual({ balance: cents(100) + returned, owed: 0n });
        expect(await world.audit(seller, buyer)).toEqual([]);
      }
    },
  );

  it('stays pending for seven days, and then becomes available to the seller, less the fee', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    expect(await world.earnings.balance(seller)).toMatchObject({ pending: net(400), available: 0n });
    const sale = await world.sale(seller, charge);
    expect(await world.earnings.nextDue(seller, world.nowSeconds - 60)).toBe(sale?.dueAt);
    world.day += 6.9;
    await world.processDue();
    expect(await world.earnings.balance(seller)).toMatchObject({ pending: net(400), available: 0n });
    world.day += 0.2;
    await world.processDue();
    expect(await world.earnings.balance(seller)).toEqual({
      pending: 0n,
      available: net(400),
      transferred: 0n,
      inTransit: 0n,
      paidOut: 0n,
      received: net(400),
      fees: cents(400) - net(400),
    });
    expect(await codeOf(world.transfer(seller, { amount: net(400) + 1n }))).toBe('insufficient_earnings');
    await world.transfer(seller, { amount: net(400) });
    expect(await stateOf({ seller, buyer })).toMatchObject({
      balance: { available: 0n, transferred: net(400) },
      seller: { balance: net(400), owed: 0n },
      lines: [{ type: 'transfer' }, { type: 'sale', status: 'available' }],
    });
  });

  it('becomes credit of the seller, and never available, if it was granted', async () => {
    const { seller, buyer, listing } = await market({ paid: 399, granted: 500 });
    const charge = await world.buy(buyer, listing);
    expect(await world.sale(seller, charge)).toMatchObject({ payable: false });
    world.day += 8;
    await world.processDue();
    expect(await stateOf({ seller, buyer })).toMatchObject({
      balance: { pending: 0n, available: 0n, transferred: net(400) },
      seller: { balance: net(400) },
      // Both lines name the sale.
      lines: [
        { type: 'transfer', status: 'credited' },
        { type: 'sale', status: 'credited' },
      ],
    });
  });

  describe('of a buyer whose calls have used up its payment', () => {
    const spend = async (buyer: string, spent: number) => {
      const hold = { id: `req_${world.ulid()}`, keyId: 'key_1', kind: 'chat', expires: 2e9 } as const;
      const store = createWalletStore(database, database.tables.wallets);
      expect(await store.hold(buyer, { ...hold, amount: cents(spent) })).toMatchObject({ granted: true });
      return () => store.endHold(buyer, { ...hold, amount: cents(spent), cost: cents(spent), recorded: 0 });
    };

    /** Granted credit, the proceeds of a sale that is not payable, and its refund. */
    const GRANTS = {
      grant: (buyer: string) => world.grant(buyer, 400),
      proceeds: async (buyer: string) => {
        const customer = await world.open();
        await world.grant(customer, 500);
        await world.buy(customer, await world.list(buyer, 500));
        world.day += 8;
        await world.processDue();
      },
      refund: async (buyer: string) => {
        const seller = await world.open();
        await world.grant(buyer, 400);
        const charge = await world.buy(buyer, await world.list(seller, 401));
        await world.refund(seller, { charge });
      },
    };

    it.each(['grant', 'proceeds', 'refund'] as const)(
      'becomes credit if a %s paid for it',
      async (...args: readonly unknown[]) => {
        const [source] = args as [keyof typeof GRANTS];
        const { seller, buyer, listing } = await market({ paid: 402 });
        await (await spend(buyer, 400))();
        await GRANTS[source](buyer);
        expect(await world.sale(seller, await world.buy(buyer, listing))).toMatchObject({ payable: false });
      },
    );

    it('becomes credit, if they were open when the grant came', async () => {
      const { seller, buyer, listing } = await market({ paid: 400 });
      const end = await spend(buyer, 400);
      await world.grant(buyer, 400);
      await end();
      expect(await world.sale(seller, await world.buy(buyer, listing))).toMatchObject({ payable: false });
    });

    it('becomes credit, if a grant paid the debt of a dispute that is won later', async () => {
      const { seller, buyer, listing, order } = await market({ paid: 400 });
      await (await spend(buyer, 400))();
      await world.reverse(buyer, order, 'dp_1', 400);
      await world.grant(buyer, 400);
      await world.reverse(buyer, order, 'dp_1', 400, true);
      expect(await world.sale(seller, await world.buy(buyer, listing))).toMatchObject({ payable: false });
    });

    it('becomes money, if the grant was there before the calls, or a payment follows', async () => {
      const { seller, buyer, listing } = await market({ paid: 400, granted: 400 });
      await (await spend(buyer, 400))();
      expect(await world.sale(seller, await world.buy(buyer, listing))).toMatchObject({ payable: true });
      await world.grant(buyer, 10);
      await world.pay(buyer, 400);
      const second = await world.list(seller, 400);
      expect(await world.sale(seller, await world.buy(buyer, second))).toMatchObject({ payable: true });
    });
  });

  it('returns to the buyer with the fee, ends the entitlement, and can buy the listing again', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    expect(await world.buy(buyer, listing)).toBe(charge);
    await world.refund(seller, { charge, cents: 150 });
    expect(await world.buy(buyer, listing)).toBe(charge);
    await world.refund(seller, { charge });
    expect(await stateOf({ seller, buyer })).toMatchObject({
      balance: { pending: 0n, received: 0n, fees: 0n },
      buyer: { balance: cents(500) },
    });
    expect(await codeOf(world.refund(seller, { charge }))).toBe('conflict');
    expect(await acquired(buyer)).toEqual([]);
    const again = await world.buy(buyer, listing);
    expect(again).not.toBe(charge);
    expect(await world.sale(seller, again)).toMatchObject({ payable: true, status: 'pending' });
    expect(await acquired(buyer)).toMatchObject([{ listingId: listing.id, purchased: world.nowSeconds }]);
  });

  it('removes the acquisition of the buyer by a complete refund, except an install', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    const install = { listingId: listing.id, accountId: buyer, created: world.nowSeconds };
    await transact(database.client, [putAcquisition(database.tables.listings, 'installed', install)]);
    await world.refund(seller, { charge, cents: 150 });
    expect(await acquired(buyer)).toMatchObject([{ purchased: world.nowSeconds }]);
    await world.refund(seller, { charge });
    expect(await acquired(buyer)).toMatchObject([{ installed: world.nowSeconds, purchased: undefined }]);
  });

  it('returns once for one Idempotency-Key, and not at all to another amount under it', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    const [first, again] = [
      await world.refund(seller, { charge, cents: 100, key: 'a' }),
      await world.refund(seller, { charge, cents: 100, key: 'a' }),
    ];
    expect(again).toEqual(first);
    expect(await codeOf(world.refund(seller, { charge, cents: 101, key: 'a' }))).toBe(
      'idempotency_key_reused',
    );
    await world.refund(seller, { charge, cents: 300, key: 'b' });
    expect(await world.refund(seller, { charge, cents: 100, key: 'a' })).toEqual(first);
    expect(await stateOf({ seller, buyer })).toMatchObject({ buyer: { balance: cents(500) } });
  });

  it('leaves nothing below a cent, although neither its fee nor a returned part of it is in whole cents', async () => {
    const { seller, buyer, listing } = await market({ paid: 500, price: 399 });
    await world.refund(seller, { charge: await world.buy(buyer, listing), cents: 100 });
    // Of a fee of 49.875 cents 49 are kept, and 12 of these are returned.
    expect(await stateOf({ seller, buyer })).toMatchObject({
      balance: { pending: cents(262), fees: cents(37) },
      buyer: { balance: cents(201) },
    });
  });

  it('belongs to its seller: nobody else refunds it', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    for (const other of [buyer, await world.open()])
      expect(await codeOf(world.refund(other, { charge }))).toBe('not_found');
    expect(await codeOf(world.refund(seller, { charge, cents: 401 }))).toBe('invalid_value');
  });

  it('returns no more after it has been transferred', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    world.day += 8;
    await world.processDue();
    await world.transfer(seller, { amount: net(400) - cents(88) });
    expect(await codeOf(world.refund(seller, { charge }))).toBe('insufficient_earnings');
    await world.refund(seller, { charge, cents: 100 });
    expect(await stateOf({ seller, buyer })).toMatchObject({ balance: { available: 0n } });
  });
});

/** Every order of the values. */
function* permutations<T>(values: readonly T[]): Generator<readonly T[], void> {
  if (values.length === 0) yield [];
  for (const [at, value] of values.entries())
    for (const rest of permutations(values.toSpliced(at, 1))) yield [value, ...rest];
}

describe('a payment that is refunded, disputed, won and lost', () => {
  const STEPS = ['card refund', 'dispute', 'win', 'loss', 'refund', 'maturity'] as const;
  type Step = (typeof STEPS)[number];
  const ORDERS = [...permutations(STEPS)];
  const PAID = 500;

  async function take(step: Step, { seller, buyer, order, charge }: Parties): Promise<void> {
    if (step === 'card refund') return world.reverse(buyer, order, 're_1', 100);
    if (step === 'dispute') return world.reverse(buyer, order, 'dp_1', 300);
    if (step === 'win') return world.reverse(buyer, order, 'dp_1', 300, true);
    if (step === 'loss') return world.reverse(buyer, order, 'dp_2', 200);
    if (step === 'refund') {
      await codeOf(world.refund(seller, { charge, cents: 150, key: 'k' }));
      return;
    }
    world.day += 8;
    await world.processDue();
  }

  /** The amount that the bank has taken back. A dispute whose end in the seller's favor arrives first takes nothing. */
  function takenBack(steps: readonly Step[]): bigint {
    const amounts = { 'card refund': 100, dispute: steps.includes('win') ? 0 : 300, loss: 200 } as const;
    const total = steps.reduce((sum, step) => sum + (step in amounts ? amounts[step as 'loss'] : 0), 0);
    return cents(Math.min(total, PAID));
  }

  /** Verifies that each cent of the payment is at one place: at the bank, the buyer, the seller or the platform. */
  async function verify(parties: Parties, steps: readonly Step[]) {
    const state = await stateOf(parties);
    const { balance, buyer, lines } = state;
    const { returned = 0n } = (await world.sale(parties.seller, parties.charge)) ?? {};
    expect({
      steps,
      buyer: buyer.balance - buyer.owed,
      sold: balance.received + balance.fees,
      seller: state.seller.balance,
      refunds: lines.filter(({ type }) => type === 'refund').length <= 1,
    }).toEqual({
      steps,
      buyer: cents(PAID - 400) - takenBack(steps) + returned,
      sold: cents(400) - returned,
      seller: 0n,
      refunds: true,
    });
    return state;
  }

  it('adds up for the buyer, the seller and the platform after each event, in any order of them, each repeated', async () => {
    const prepare = bought({ paid: PAID });
    expect(ORDERS).toHaveLength(720);
    for (const at of offsets(0, ORDERS.length - 1, 12)) {
      const steps = ORDERS[at] ?? [];
      const parties = await prepare();
      for (const [done, step] of steps.entries()) {
        await take(step, parties);
        if (step === 'maturity') await world.processDue();
        else await take(step, parties);
        await verify(parties, steps.slice(0, done + 1));
      }
      world.day += 100;
      await world.processDue();
      const { balance, buyer } = await verify(parties, steps);
      expect({ steps, pending: balance.pending }).toEqual({ steps, pending: 0n });
      if (steps.at(-1) === 'maturity') expect({ steps, owed: buyer.owed }).toEqual({ steps, owed: 0n });
    }
  }, 600_000);
});

describe('a disputed payment', () => {
  it('cannot be spent by the seller whose listing it has paid for', async () => {
    const { seller, buyer, listing, order } = await market({ paid: 500, price: 490 });
    const charge = await world.buy(buyer, listing);
    await world.reverse(buyer, order, 'dp_1', 500);
    expect(await world.wallet(buyer)).toMatchObject({ balance: 0n, owed: cents(490) });
    expect(await codeOf(world.transfer(seller, { amount: 1n }))).toBe('insufficient_earnings');
    const start = world.day;
    for (
      ;
      world.day < start + 200 && (await world.sale(seller, charge))?.status === 'pending';
      world.day += 7
    ) {
      expect((await world.wallet(seller)).balance).toBe(0n);
      await world.processDue();
    }
    expect(await stateOf({ seller, buyer })).toMatchObject({
      balance: { pending: 0n, available: 0n, received: 0n, fees: 0n },
      buyer: { balance: 0n, owed: 0n },
      lines: [{ type: 'reversal' }, { type: 'sale', status: 'reversed' }],
    });
  });

  it('costs the seller nothing if the dispute is won', async () => {
    const { seller, buyer, listing, order } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    await world.reverse(buyer, order, 'dp_1', 500);
    world.day += 8;
    expect(await world.processDue()).toMatchObject({ held: 1, heldAmount: cents(400) });
    expect(await world.sale(seller, charge)).toMatchObject({ status: 'pending', held: 'buyer_owes' });
    await world.reverse(buyer, order, 'dp_1', 500, true);
    world.day += 8;
    await world.processDue();
    expect(await stateOf({ seller, buyer })).toMatchObject({
      balance: { available: net(400) },
      buyer: { balance: cents(100), owed: 0n },
    });
  });

  it('holds the sale of a listing that is removed before it matures, and pays the seller after 90 days', async () => {
    const { seller, buyer, listing } = await market({ paid: 500 });
    const charge = await world.buy(buyer, listing);
    await world.removeListing(seller, listing);
    world.day += 8;
    expect(await world.processDue()).toMatchObject({ held: 1, matured: 0 });
    expect(await world.sale(seller, charge)).toMatchObject({ status: 'pending', held: 'listing_removed' });
    world.day += 83;
    expect(await world.processDue()).toMatchObject({ matured: 1 });
    expect(await stateOf({ seller, buyer })).toMatchObject({ balance: { pending: 0n, available: net(400) } });
  });

  it('holds the sale if granted credit has paid the debt, too', async () => {
    const { seller, buyer, listing, order } = await market({ paid: 500, granted: 1_000 });
    const charge = await world.buy(buyer, listing);
    await world.reverse(buyer, order, 're_1', 500);
    expect(await world.wallet(buyer)).toMatchObject({ owed: 0n });
    world.day += 8;
    await world.processDue();
    expect(await world.sale(seller, charge)).toMatchObject({ status: 'pending', held: 'buyer_owes' });
  });

  it('returns nothing for a debt that credit of the same wallet covers, as a worker may leave it', async () => {
    const { seller, buyer, listing, order } = await market({ paid: 300, granted: 500 });
    const charge = await world.buy(buyer, listing);
    await world.reverse(buyer, order, 'dp_1', 300);
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.wallets,
        Key: { wallet_id: { S: buyer } },
        UpdateExpression: 'SET balance = balance + :debt, owed = :debt',
        ExpressionAttributeValues: { ':debt': { N: String(cents(50)) } },
      }),
    );
    world.day += 91;
    await world.processDue();
    expect(await world.sale(seller, charge)).toMatchObject({ status: 'credited', returned: 0n });
    expect(await stateOf({ seller, buyer })).toMatchObject({ buyer: { balance: cents(100), owed: 0n } });
  });

  it('returns the missing amount once if several sales of the buyer are due at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { seller, buyer, listing, order } = await market({ paid: 1_000, price: 300 });
      const listings = [listing, await world.list(seller, 300), await world.list(seller, 300)];
      for (const each of listings) await world.buy(buyer, each);
      await world.reverse(buyer, order, 'dp_1', 200);
      expect(await world.wallet(buyer)).toMatchObject({ balance: 0n, owed: cents(100) });
      world.day += 91;
      await Promise.all([world.processDue(), world.processDue()]);
      const { balance, buyer: after } = await stateOf({ seller, buyer });
      expect([after, balance.pending, balance.received + balance.fees]).toEqual([
        { balance: 0n, owed: 0n },
        0n,
        cents(800),
      ]);
    }
  });

  it('does not hold a sale from before it', async () => {
    const { seller, buyer, listing } = await market({ paid: 400 });
    const charge = await world.buy(buyer, listing);
    world.day += 1;
    const later = await world.pay(buyer, 300);
    await world.reverse(buyer, later, 'dp_1', 300);
    world.day += 8;
    await world.processDue();
    expect(await world.sale(seller, charge)).toMatchObject({ status: 'available' });
  });
});
