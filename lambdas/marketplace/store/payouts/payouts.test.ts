import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { type PaymentSandbox, startPaymentSandbox } from '../../../../tools/simulators/payments/sandbox.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { FAULTS, FailingProcess } from '../../../ledger/testing/failing-process.ts';
import { SILENT } from '../../../ledger/testing/running-ledger.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { connectAccount } from '../../core/payouts/account.ts';
import { payoutEntry } from '../../core/payouts/payout-entry.ts';
import { reconcilePayouts } from '../../core/payouts/reconcile.ts';
import { cancelPayout, nextPayoutDate, requestPayout, runSchedule } from '../../core/payouts/requests.ts';
import { cents, codeOf, FEE_BASIS_POINTS, MarketWorld } from '../../testing/market-world.ts';
import { createPayoutStore } from '../create-payouts.ts';
import { hintPayout } from './payout-hint.ts';
import { StripePayouts } from './stripe-payouts.ts';

const database = fileDatabase();
const folder = mkdtempSync(join(tmpdir(), 'payouts-'));
let sandbox: PaymentSandbox;
let world: MarketWorld;

beforeAll(async () => {
  world = new MarketWorld(database);
  sandbox = await startPaymentSandbox({ preferredPort: 0, file: join(folder, 'books.json'), log: () => {} });
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

const options = (clients: FailingProcess['clients'] = database) => ({
  clients,
  environment: database.environment,
});

function system(clients?: FailingProcess['clients'], readSecret = () => Promise.resolve('sk_test_payouts')) {
  const clock = () => world.nowSeconds * 1000;
  const environment = { PAYMENT_SECRET: 'payments', PAYMENT_API_URL: sandbox.url };
  const provider = new StripePayouts({ environment, readSecret, clock, log: SILENT });
  const store = createPayoutStore(options(clients));
  const maturitySeconds = 7 * 86_400;
  return { clock, provider, store, maturitySeconds, log: SILENT, ulid: world.ulid };
}

/** A worker that can no longer read the secret of the provider. */
const denied = () => system(undefined, () => Promise.reject(new Error('AccessDeniedException')));

const PRICE = 8_000;
const NET = (cents(PRICE) * BigInt(10_000 - FEE_BASIS_POINTS)) / 10_000n;

/** A seller with available earnings of one sale, and an account at the provider. */
async function payable({ isActive = true } = {}) {
  const [seller, buyer] = await Promise.all([world.open(), world.open()]);
  const listing = await world.list(seller, PRICE);
  await world.pay(buyer, PRICE);
  const charge = await world.buy(buyer, listing);
  world.day += 15;
  await world.processDue();
  const { providerId } = await connectAccount(system(), seller, { country: 'DE' });
  if (isActive) sandbox.accounts.account(providerId).state = 'active';
  return { seller, buyer, charge, account: providerId };
}

const run = (clients?: FailingProcess['clients']) => world.processPayouts(system(clients), clients);

/** Lets hours and days pass until nothing is left to do. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await run();
    world.day += 0.05;
    await run();
    world.day += 3;
  }
}

const transfersOf = (id: string) => sandbox.accounts.transfers.filter((each) => each.transfer_group === id);
const payoutsOf = (id: string) => sandbox.accounts.payouts.filter((each) => each.metadata.payout_id === id);

/** Pays, fails or returns the payout at the bank, and lets the event arrive. */
async function bank(key: { sellerId: string; id: string }, outcome: 'pay' | 'fail' | 'return') {
  const [payout] = payoutsOf(key.id);
  await sandbox.accounts.settle(payout?.id ?? '', outcome);
  await hintPayout(database.client, database.tables.market, key, world.nowSeconds);
}

async function stateOf(seller: string) {
  expect(await world.audit(seller)).toEqual([]);
  const { balance, openPayouts } = await createPayoutStore(options()).seller(seller);
  const { available, inTransit, paidOut } = balance;
  return { available, inTransit, paidOut, openPayouts };
}

describe('payouts', () => {
  it('start on a new table without a command, because there is no transfer to compare it with', async () => {
    const { seller } = await payable();
    const payout = await requestPayout(system(), seller, undefined);
    const { store } = system();
    await world.processPayouts(denied());
    expect([await store.isReconciled(), transfersOf(payout.id)]).toEqual([false, []]);
    await run();
    expect([await store.isReconciled(), transfersOf(payout.id).length]).toEqual([true, 1]);
  });

  it('consist of one transfer and one payout to the bank, and end as paid out', async () => {
    const { seller, account } = await payable();
    const payout = await requestPayout(system(), seller, undefined);
    expect(await stateOf(seller)).toEqual({ available: 0n, inTransit: NET, paidOut: 0n, openPayouts: 1 });
    expect(sandbox.accounts.account(account)).toMatchObject({ country: 'de', manual: true });
    await run();
    const { store } = system();
    expect(payoutEntry((await store.find(payout)) ?? payout)).toMatchObject({ status: 'in_transit' });
    await bank(payout, 'pay');
    await run();
    expect(payoutEntry((await store.find(payout)) ?? payout)).toMatchObject({ status: 'paid' });
    expect(await stateOf(seller)).toEqual({ available: 0n, inTransit: 0n, paidOut: NET, openPayouts: 0 });
    expect([transfersOf(payout.id).length, payoutsOf(payout.id).length]).toEqual([1, 1]);
    const lines = (await world.earnings.list(seller, 9)).entries.map(({ transaction }) => transaction);
    expect(lines[0]).toMatchObject({ type: 'payout', amount: -NET, payoutId: payout.id });
  });

  it('return to the available earnings after the bank has returned them to the platform', async () => {
    const { seller } = await payable();
    const payout = await requestPayout(system(), seller, undefined);
    await run();
    await bank(payout, 'pay');
    await run();
    await bank(payout, 'return');
    await run();
    expect(await stateOf(seller)).toEqual({ available: NET, inTransit: 0n, paidOut: 0n, openPayouts: 0 });
    expect(transfersOf(payout.id)).toMatchObject([{ reversed: true }]);
    await bank(payout, 'pay');
    await settle();
    expect(await stateOf(seller)).toMatchObject({ available: NET, paidOut: 0n });
    expect(await requestPayout(system(), seller, undefined)).toMatchObject({ amount: NET });
  });

  it('move money once, whichever request to the provider is lost, late or rejected, for now or finally', async () => {
    const faults = ['lost before', 'lost after', 'late', 'stored 500', 'conflict', 'rate limit'] as const;
    for (const target of ['POST /v1/transfers', 'POST /v1/payouts']) {
      for (const fault of faults) {
        const { seller } = await payable();
        const payout = await requestPayout(system(), seller, undefined);
        sandbox.fail(target, fault, fault);
        await run();
        await settle();
        await bank(payout, 'pay');
        await run();
        expect({ target, fault, ...(await stateOf(seller)) }).toMatchObject({ target, fault, paidOut: NET });
        expect([transfersOf(payout.id).length, payoutsOf(payout.id).length]).toEqual([1, 1]);
      }
    }
  });

  it('move money once, whichever database call fails, is lost, is late or is the last of its process', async () => {
    const first = await payable();
    await requestPayout(system(), first.seller, undefined);
    const counted = new FailingProcess(database, new Map());
    await run(counted.clients);
    expect(counted.calls).toBeGreaterThan(5);
    for (let call = 1; call <= counted.calls; call += 1) {
      const fault = FAULTS[call % FAULTS.length];
      if (fault === undefined) continue;
      const { seller } = await payable();
      const payout = await requestPayout(system(), seller, undefined);
      const failing = new FailingProcess(database, new Map([[call, fault]]));
      await run(failing.clients).catch(() => undefined);
      await settle();
      await failing.landLate();
      await bank(payout, 'pay');
      await run();
      expect({ call, fault, ...(await stateOf(seller)) }).toMatchObject({ call, fault, paidOut: NET });
      expect([transfersOf(payout.id).length, payoutsOf(payout.id).length]).toEqual([1, 1]);
    }
  });

  it('wait while the platform has too little at the provider', async () => {
    const { seller } = await payable();
    const before = sandbox.accounts.platform.balance;
    sandbox.accounts.platform.balance = 0;
    const payout = await requestPayout(system(), seller, undefined);
    await run();
    expect(await stateOf(seller)).toMatchObject({ inTransit: NET });
    sandbox.accounts.platform.balance = before;
    world.day += 0.05;
    await run();
    expect(transfersOf(payout.id)).toHaveLength(1);
  });

  it('stay unchanged while an update removes the secret from the running worker, and continue once it is back', async () => {
    const { seller } = await payable();
    const payout = await requestPayout(system(), seller, undefined);
    const { failed, payoutsAdvanced } = await world.processPayouts(denied());
    expect([failed > 0, payoutsAdvanced]).toEqual([true, 0]);
    expect(await codeOf(denied().provider.onboardingPage('acct_1', 'https://shop.example.com'))).toBe(
      'payment_provider_unavailable',
    );
    expect(await system().store.find(payout)).toEqual(payout);
    await run();
    expect(transfersOf(payout.id)).toHaveLength(1);
  });

  it('end as canceled at a restricted account, and fail without a bank account', async () => {
    const restricted = await payable({ isActive: false });
    await requestPayout(system(), restricted.seller, undefined);
    await run();
    expect(await stateOf(restricted.seller)).toMatchObject({ available: NET, inTransit: 0n });
    const bankless = await payable();
    sandbox.accounts.account(bankless.account).hasBank = false;
    const payout = await requestPayout(system(), bankless.seller, undefined);
    await run();
    expect(payoutEntry((await system().store.find(payout)) ?? payout)).toMatchObject({
      status: 'failed',
      failure_code: 'no_account',
    });
    expect(await stateOf(bankless.seller)).toMatchObject({ available: NET, inTransit: 0n, openPayouts: 0 });
  });

  it('leave a restored table only after its comparison with the provider, which adopts earlier ones', async () => {
    const { seller, account } = await payable();
    const { store } = system();
    const sent = await requestPayout(system(), seller, undefined);
    await run();
    await bank(sent, 'pay');
    await run();
    // The table is as it was before the payout.
    const { client, tables } = database;
    const restored = new Map([
      ['available', NET],
      ['paid_out', 0n],
    ]);
    for (const [part, amount] of restored)
      await client.send(
        new UpdateItemCommand({
          TableName: tables.market,
          Key: { owner_id: { S: seller }, item: { S: 'balance' } },
          UpdateExpression: `SET ${part} = :amount ADD version :one`,
          ExpressionAttributeValues: { ':amount': { N: String(amount) }, ':one': { N: '1' } },
        }),
      );
    await world.remove(seller, `payout#${sent.id}`);
    await world.remove('payouts', 'reconciled');
    const again = await requestPayout(system(), seller, cents(1_000));
    expect(await run()).toMatchObject({ payoutsAdvanced: 0 });
    expect(transfersOf(again.id)).toEqual([]);
    await cancelPayout(system(), again);
    expect(await reconcilePayouts(system(), false)).toMatchObject({ adopted: 1, differences: [] });
    expect(await stateOf(seller)).toMatchObject({ available: 0n, paidOut: NET, openPayouts: 0 });
    expect(await store.findAccount(seller)).toMatchObject({ providerId: account });
    expect(transfersOf(sent.id)).toHaveLength(1);
    expect(await run()).toMatchObject({ failed: 0 });
  });

  it('wait for 14 days from the sale with which the proceeds reached 10 USD', async () => {
    const [seller, buyer] = [await world.open(), await world.open()];
    await world.pay(buyer, 20_000);
    const { providerId } = await connectAccount(system(), seller, { country: 'DE' });
    sandbox.accounts.account(providerId).state = 'active';
    const sellFor = async (price: number, days: number) => {
      const charge = await world.buy(buyer, await world.list(seller, price));
      world.day += days;
      await world.processDue();
      return charge;
    };
    await sellFor(1, 15);
    const returned = await sellFor(5_000, 15);
    await world.refund(seller, { charge: returned });
    await sellFor(5_000, 8);
    await sellFor(1, 5);
    const { message } = await requestPayout(system(), seller, undefined).catch((failure) => failure);
    const date = new Date((world.nowSeconds + 86_400) * 1000).toISOString();
    expect(message).toBe(
      `The first payout is possible from ${date}, twice the maturity of sales after your proceeds reached 1000 cents.`,
    );
    world.day += 1.1;
    const { id } = await requestPayout(system(), seller, undefined);
    await run();
    await bank({ sellerId: seller, id }, 'pay');
    await settle();
    // The next one does not wait.
    await sellFor(9_000, 8);
    expect(await codeOf(requestPayout(system(), seller, undefined))).toBe('done');
  });
});

/** Lets the time come at which the next payout of the schedule is due. Returns that time. */
async function nextDate(seller: string): Promise<number> {
  const { dueAt = 0 } = (await system().store.findAccount(seller)) ?? {};
  expect(dueAt).toBeGreaterThan(world.nowSeconds);
  world.day += (dueAt + 1 - world.nowSeconds) / 86_400;
  return dueAt;
}

const started = async (seller: string) => (await system().store.list(seller, 9)).entries;

describe('scheduled payouts', () => {
  it('start once on their date, though two workers find it and one dies before it plans the next', async () => {
    const { seller, buyer } = await payable();
    const { store } = system();
    await connectAccount(system(), seller, { country: 'DE', schedule: 'weekly' });
    expect(await run()).toMatchObject({ payoutsStarted: 0 });
    const date = await nextDate(seller);
    expect(new Date(date * 1000).toUTCString()).toMatch(/^Mon, .* 00:00:00 GMT$/);
    const planned = await store.findAccount(seller);
    const counts = await Promise.all([run(), run()]);
    expect(counts.map((each) => each.payoutsStarted).toSorted()).toEqual([0, 1]);
    expect(await stateOf(seller)).toMatchObject({ available: 0n, inTransit: NET, openPayouts: 1 });
    expect(await store.findAccount(seller)).toMatchObject({ dueAt: date + 7 * 86_400 });
    const [payout] = await started(seller);
    if (planned === undefined || payout === undefined) throw new Error('no payout was started');
    await run();
    await bank(payout, 'pay');
    await run();
    // There is something to pay again, and the worker has not planned the next date.
    await world.pay(buyer, PRICE);
    await world.buy(buyer, await world.list(seller, PRICE));
    world.day += 8;
    await world.processDue();
    await store.saveAccount(planned);
    expect(await run()).toMatchObject({ payoutsStarted: 0, failed: 0 });
    expect(await started(seller)).toMatchObject([{ id: payout.id }]);
    await nextDate(seller);
    expect(await run()).toMatchObject({ payoutsStarted: 1 });
    expect(await started(seller)).toMatchObject([{ amount: NET }, { id: payout.id }]);
    expect(await stateOf(seller)).toMatchObject({ available: 0n, inTransit: NET, paidOut: NET });
  });

  it('include a sale that matures in the same run', async () => {
    const { seller, buyer } = await payable();
    await world.pay(buyer, PRICE);
    await world.buy(buyer, await world.list(seller, PRICE));
    world.day += 7;
    await connectAccount(system(), seller, { country: 'DE', schedule: 'weekly' });
    await nextDate(seller);
    const { provider } = system();
    expect(await world.processDue(database, { provider })).toMatchObject({ failed: 0 });
    expect(await started(seller)).toMatchObject([{ amount: 2n * NET }]);
  });

  it('wait for the next date with less than the minimum, while paused, and while one is open', async () => {
    const { seller } = await payable();
    const { store } = system();
    const schedule = { country: 'DE', schedule: 'weekly' } as const;
    await connectAccount(system(), seller, { ...schedule, minimum: PRICE });
    const wait = async () => {
      const date = await nextDate(seller);
      expect(await run()).toMatchObject({ payoutsStarted: 0, failed: 0 });
      expect(await store.findAccount(seller)).toMatchObject({ dueAt: date + 7 * 86_400 });
    };
    await wait();
    await connectAccount(system(), seller, { ...schedule, minimum: 1_000 });
    await store.pause(seller, true);
    await wait();
    await store.pause(seller, false);
    await requestPayout(system(), seller, cents(1_000));
    await wait();
    expect(await started(seller)).toMatchObject([{ amount: cents(1_000) }]);
    await connectAccount(system(), seller, { country: 'DE', schedule: 'manual' });
    expect(await store.findAccount(seller)).toMatchObject({ schedule: 'manual', dueAt: undefined });
  });

  it('keep the settings that the seller changes while the worker plans the next date', async () => {
    const { seller } = await payable();
    const { store } = system();
    await connectAccount(system(), seller, { country: 'DE', schedule: 'weekly' });
    await nextDate(seller);
    const saveAccount: typeof store.saveAccount = async (...account) => {
      await connectAccount(system(), seller, { country: 'DE', schedule: 'manual' });
      return store.saveAccount(...account);
    };
    const changing = new Proxy(store, {
      get: (target, name) =>
        name === 'saveAccount' ? saveAccount : Object(Reflect.get(target, name)).bind(target),
    });
    expect(await runSchedule({ ...system(), store: changing }, seller)).toBe(true);
    expect(await store.findAccount(seller)).toMatchObject({ schedule: 'manual', dueAt: undefined });
  });

  it.each([
    ['weekly', '2026-11-26T23:59:59Z', '2026-11-30T00:00:00Z'],
    ['weekly', '2026-11-30T00:00:00Z', '2026-12-07T00:00:00Z'],
    ['weekly', '2028-02-27T23:59:59Z', '2028-02-28T00:00:00Z'],
    ['monthly', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z'],
    ['monthly', '2027-01-31T12:00:00Z', '2027-02-01T00:00:00Z'],
    ['monthly', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
  ] as const)('come to the next date: %s at %s', (schedule, now, next) => {
    expect(nextPayoutDate(schedule, Date.parse(now) / 1000)).toBe(Date.parse(next) / 1000);
  });
});

describe('the maturity of a seller', () => {
  it('holds the proceeds of pending sales for its days, and never for fewer than those of all sellers', async () => {
    const [careful, other, buyer] = [await world.open(), await world.open(), await world.open()];
    await world.pay(buyer, 2 * PRICE);
    for (const seller of [careful, other]) await world.buy(buyer, await world.list(seller, PRICE));
    const { store } = system();
    await store.setMaturity(careful, 30);
    await store.setMaturity(other, 3);
    const availableAfter = async (days: number) => {
      world.day += days;
      await world.processDue();
      return [(await stateOf(careful)).available, (await stateOf(other)).available];
    };
    expect(await availableAfter(6.9)).toEqual([0n, 0n]);
    expect(await availableAfter(0.2)).toEqual([0n, NET]);
    expect(await availableAfter(22.8)).toEqual([0n, NET]);
    expect(await availableAfter(0.2)).toEqual([NET, NET]);
    expect(await store.seller(careful)).toMatchObject({ maturityDays: 30 });
  });
});

describe('attacks on payouts', () => {
  it('get nothing out of credit that was topped up', async () => {
    const seller = await world.open();
    await world.pay(seller, 100_000);
    await connectAccount(system(), seller, { country: 'DE' });
    expect(await codeOf(requestPayout(system(), seller, undefined))).toBe('insufficient_earnings');
  });

  it('get nothing out of events that are replayed, or name the payout of another account', async () => {
    const { seller } = await payable();
    const payout = await requestPayout(system(), seller, undefined);
    await run();
    const { client, tables } = database;
    for (const sellerId of [seller, await world.open()])
      for (let replay = 0; replay < 3; replay += 1) {
        const key = { sellerId, id: payout.id };
        expect(await hintPayout(client, tables.market, key, world.nowSeconds)).toBe(sellerId === seller);
        await run();
      }
    expect(await stateOf(seller)).toEqual({ available: 0n, inTransit: NET, paidOut: 0n, openPayouts: 1 });
    expect([transfersOf(payout.id).length, payoutsOf(payout.id).length]).toEqual([1, 1]);
  });

  it('start one payout by many requests at once', async () => {
    const { seller } = await payable();
    const codes = await Promise.all(
      Array.from({ length: 8 }, () => codeOf(requestPayout(system(), seller, cents(1_000)))),
    );
    expect(codes.toSorted()).toEqual([...Array(7).fill('conflict'), 'done']);
    expect(await stateOf(seller)).toMatchObject({ inTransit: cents(1_000), openPayouts: 1 });
  });

  it('get each cent once by a payout, a refund and a transfer that race', async () => {
    const { seller, charge } = await payable();
    const codes = await Promise.all([
      codeOf(requestPayout(system(), seller, NET)),
      codeOf(world.refund(seller, { charge })),
      codeOf(world.transfer(seller, { amount: NET })),
    ]);
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    const { available, inTransit } = await stateOf(seller);
    expect([available, [0n, NET].includes(inTransit)]).toEqual([0n, true]);
  });

  it('get nothing twice by a cancellation against the worker', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { seller } = await payable();
      const payout = await requestPayout(system(), seller, undefined);
      const [code] = await Promise.all([codeOf(cancelPayout(system(), payout)), run()]);
      await run();
      const moved = transfersOf(payout.id).length;
      expect([code, moved]).toEqual(moved === 0 ? ['done', 0] : ['conflict', 1]);
      expect(await stateOf(seller)).toMatchObject(moved === 0 ? { available: NET } : { inTransit: NET });
    }
  });

  it('find no payout of another seller', async () => {
    const { seller } = await payable();
    const { id } = await requestPayout(system(), seller, undefined);
    const other = await world.open();
    expect(await codeOf(cancelPayout(system(), { sellerId: other, id }))).toBe('not_found');
  });

  it('start no payout right after the first sale, nor while the operator has paused the seller', async () => {
    const { seller } = await payable();
    const { store } = system();
    await store.pause(seller, true);
    expect(await codeOf(requestPayout(system(), seller, undefined))).toBe('payouts_disabled');
    await store.pause(seller, false);
    const early = { ...system(), maturitySeconds: 8 * 86_400 };
    expect(await codeOf(requestPayout(early, seller, undefined))).toBe('conflict');
  });
});
