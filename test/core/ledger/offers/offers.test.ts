import type { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { Policy } from '../../../../lambdas/core/access/policy.ts';
import { ServiceError } from '../../../../lambdas/core/errors.ts';
import type { Offers } from '../../../../lambdas/core/ledger/offers/offer.ts';
import { startDatabase, type TestDatabase } from '../../../adapters/engine.ts';
import { splitWallet } from '../../../adapters/split-wallet.ts';
import { it } from '../../../search.ts';
import { rounds } from '../../../thorough.ts';
import { keyState, refusalOf } from '../attempts.ts';
import { aroundSend, FAULTS, FailingProcess } from '../failing-process.ts';
import {
  booksOf,
  callOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
  type TestAccount,
  type TestLedger,
} from '../running-ledger.ts';

let database: TestDatabase;
let nowMs = NOON_MS;

beforeAll(async () => {
  database = await startDatabase();
});
beforeEach(() => {
  nowMs = NOON_MS;
});
afterAll(() => database.stop());

/** A process of its own. */
const open = (clients: Pick<TestDatabase, 'client' | 'onceClient'> = database) =>
  openLedger({ clients, clock: () => nowMs });

/** Offers of these amounts, each of as many tokens. */
const offersOf = (first: bigint, ...rest: readonly bigint[]): Offers => {
  const offerOf = (amount: bigint) => ({ tokens: Number(amount), amount });
  return [offerOf(first), ...rest.map(offerOf)];
};

const THREE = offersOf(1_000n, 100n, 10n);

async function accountWith(balance: bigint, policy: Policy = {}) {
  const account = await openAccount(database.client, balance, policy);
  const [key] = account.keys;
  const call = (offers: Offers = THREE) => callOf(key, 0n, { offers });
  return { account, key, call, books: () => booksOf(database.client, account) };
}

describe('a call of several offers', () => {
  it.each<readonly [string, bigint, Policy, number]>([
    ['everything leaves the first', 1_000n, { tpm: 1_000, daily_usd: 1_000n }, 0],
    ['the balance leaves the second', 999n, {}, 1],
    ['the balance leaves the last', 10n, {}, 2],
    ['a daily cap leaves the second', 5_000n, { daily_usd: 999n }, 1],
    ['a monthly cap leaves the last', 5_000n, { monthly_usd: 99n }, 2],
    ['the tokens of the minute leave the last', 5_000n, { tpm: 99 }, 2],
    ['key and balance each leave another one', 50n, { tpm: 500 }, 2],
    ['they do the other way round', 500n, { tpm: 50 }, 2],
  ])('is admitted at the first that is left: %s', async (_what, balance, policy, at) => {
    const { account, key, call, books } = await accountWith(balance, { rpm: 10, ...policy });
    const ledger = open();
    const admission = await ledger.ledger.admit(call());
    const amount = THREE[at]?.amount ?? 0n;
    expect(admission).toMatchObject({ offer: at, hold: { amount, tokens: Number(amount) } });
    const state = await keyState(ledger, key.keyId);
    // However often it asked, it is one request.
    expect(state.requestsLeft).toBe(9);
    if (policy.tpm !== undefined) expect(state.tokensLeft).toBe(BigInt(policy.tpm) - amount);
    if (policy.daily_usd !== undefined) expect(state.dayLeft).toBe(policy.daily_usd - amount);
    expect((await books()).wallet).toMatchObject({ balance: balance - amount, holds: [{ amount }] });
    await admission.settle(outcomeOf(amount / 2n, { tokens: 1 }));
    const after = await books();
    expect(after.wallet).toMatchObject({ balance: balance - amount / 2n, holds: [] });
    expect(after.audit.exact).toBe(true);
    if (policy.tpm !== undefined)
      expect((await keyState(ledger, key.keyId)).tokensLeft).toBe(BigInt(policy.tpm) - 1n);
    expect(account.keys).toHaveLength(1);
  });

  it('is the second request of a minute that allows two, though its first offer was refused', async () => {
    const { call } = await accountWith(50n, { rpm: 2 });
    const { ledger } = open();
    for (let calls = 0; calls < 2; calls += 1) await (await ledger.admit(call())).settle(outcomeOf(0n));
    expect(await refusalOf(ledger.admit(call()))).toMatchObject({ code: 'requests_per_minute' });
  });

  it.each<readonly [string, bigint, Policy, string, string]>([
    ['credit', 9n, {}, 'insufficient_credit', '0.00000001 USD'],
    ['a daily cap', 9n, { daily_usd: 9n }, 'daily_usd_exceeded', '0.00000001 USD'],
    ['tokens of the minute', 9n, { tpm: 9, daily_usd: 9n }, 'tokens_per_minute', '9 tokens'],
    ['the kind', 9n, { allowed_kinds: ['tts'], tpm: 9 }, 'kind_not_allowed', 'chat'],
    [
      'credit below a cap that refuses the first',
      9n,
      { daily_usd: 500n },
      'insufficient_credit',
      '0.00000001',
    ],
  ])('is refused for its least offer, once and again: %s', async (_what, balance, policy, code, message) => {
    const { key, call, books } = await accountWith(balance, policy);
    const ledger = open();
    for (let calls = 0; calls < 2; calls += 1) {
      const refused = await refusalOf(ledger.ledger.admit(call()));
      expect(refused).toMatchObject({ code });
      expect(refused.message).toContain(message);
      const { dayLeft, tokensLeft } = await keyState(ledger, key.keyId);
      if (policy.daily_usd !== undefined) expect(dayLeft).toBe(policy.daily_usd);
      if (policy.tpm !== undefined) expect(tokensLeft).toBe(BigInt(policy.tpm));
      expect((await books()).wallet).toMatchObject({ balance, holds: [] });
    }
  });

  it('that was refused does not spoil the memory for a call that asks for less', async () => {
    const { call } = await accountWith(9n);
    const { ledger } = open();
    expect(await refusalOf(ledger.admit(call()))).toMatchObject({ code: 'insufficient_credit' });
    expect((await ledger.admit(call(offersOf(1_000n, 9n)))).offer).toBe(1);
  });

  it('recovers what expired holds have before it asks for less', async () => {
    const { key, call, books } = await accountWith(1_000n);
    await open().ledger.admit(callOf(key, 950n));
    nowMs += (HOLD_TTL_SECONDS + 60) * 1_000;
    expect((await open().ledger.admit(call())).offer).toBe(0);
    expect((await books()).wallet.balance).toBe(0n);
  });

  it('gives back a hold of its first offer that reaches the wallet late, and is 503', async () => {
    const { key, call, books } = await accountWith(5_000n, { daily_usd: 500n });
    await open().gate.touch(key);
    let late: (() => Promise<unknown>) | undefined;
    let isApplied = false;
    const delaying = (client: TestDatabase['client']) =>
      aroundSend(client, async (command, send) => {
        const update = String((command as UpdateItemCommand).input.UpdateExpression);
        if (late === undefined && update.includes('holds.#id = :hold')) {
          late = () => send(command);
          throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
        }
        const output = await send(command);
        if (!isApplied && update.includes('REMOVE holds.#id')) {
          isApplied = true;
          await late?.();
        }
        return output;
      });
    const { ledger, keys } = open({
      client: delaying(database.client),
      onceClient: delaying(database.onceClient),
    });
    expect(await refusalOf(ledger.admit(call()))).toMatchObject({ code: 'overloaded' });
    expect(isApplied).toBe(true);
    expect((await books()).wallet).toMatchObject({ balance: 5_000n, holds: [] });
    expect(await keys.read(key.keyId)).toMatchObject({ dayLeft: 500n });
    expect((await ledger.admit(call())).offer).toBe(1);
  });

  it('finds the offer that a wallet in parts leaves', async () => {
    const { account, call, books } = await accountWith(150n);
    await splitWallet(database, account.accountId, [50n, 50n]);
    const { ledger, wallets } = open();
    await wallets.read(account.accountId);
    expect((await ledger.admit(call())).offer).toBe(1);
    expect((await books()).wallet.balance).toBe(50n);
  });
});

/** How many database calls an admission of `offers` makes, and in how many rounds. */
async function costOf(account: TestAccount, ledger: TestLedger, process: FailingProcess, offers: Offers) {
  const before = process.calls;
  const admission = await ledger.ledger.admit(callOf(account.keys[0], 0n, { offers }));
  const calls = process.calls - before;
  await admission.settle(outcomeOf(0n));
  return { offer: admission.offer, calls };
}

describe('what several offers cost', () => {
  it('is two writes where the first is left, as for one offer', async () => {
    const { account } = await accountWith(1_000n);
    const process = new FailingProcess(database, new Map());
    const ledger = open(process.clients);
    await ledger.gate.touch(account.keys[0]);
    expect(await costOf(account, ledger, process, THREE)).toEqual({ offer: 0, calls: 2 });
    expect(await costOf(account, ledger, process, offersOf(1_000n))).toEqual({ offer: 0, calls: 2 });
  });

  it('is one try more and its undoing where a later one is left, and then two reads instead', async () => {
    const { account } = await accountWith(50n);
    const process = new FailingProcess(database, new Map());
    const ledger = open(process.clients);
    await ledger.gate.touch(account.keys[0]);
    expect(await costOf(account, ledger, process, THREE)).toEqual({ offer: 2, calls: 5 });
    expect(await costOf(account, ledger, process, THREE)).toEqual({ offer: 2, calls: 4 });
  });
});

const amounts = fc.uniqueArray(fc.bigInt({ min: 0n, max: 2_000n }), { minLength: 1, maxLength: 5 });
const cap = fc.option(fc.bigInt({ min: 0n, max: 2_000n }), { nil: undefined });

/** Offers that fall. */
const offers = amounts.map((all) => {
  const [first = 0n, ...rest] = all.toSorted((a, b) => (a < b ? 1 : -1));
  const offerOf = (amount: bigint) => ({ tokens: Number(amount) * 2, amount });
  return [offerOf(first), ...rest.map(offerOf)] as Offers;
});

const policy = fc
  .record({ daily_usd: cap, monthly_usd: cap, tpm: fc.option(fc.nat(4_000), { nil: undefined }) })
  .map(
    (caps) => Object.fromEntries(Object.entries(caps).filter(([, value]) => value !== undefined)) as Policy,
  );

describe('under any balance, caps and tokens of the minute', () => {
  it('a call is admitted if and only if its least offer is left, and at the first that is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 0n, max: 2_500n }), policy, offers, async (balance, caps, asked) => {
        const account = await openAccount(database.client, balance, caps);
        const isLeft = ({ tokens, amount }: Offers[number]) =>
          balance >= amount &&
          amount <= (caps.daily_usd ?? amount) &&
          amount <= (caps.monthly_usd ?? amount) &&
          tokens <= (caps.tpm ?? tokens);
        const first = asked.findIndex(isLeft);
        expect(first >= 0).toBe(asked.slice(-1).every(isLeft));
        const ledger = open();
        const call = callOf(account.keys[0], 0n, { offers: asked });
        const admission = await ledger.ledger.admit(call).catch((failure: unknown) => failure);
        if (first < 0) expect(admission).toBeInstanceOf(ServiceError);
        else expect(admission).toMatchObject({ offer: first });
        const { wallet } = await booksOf(database.client, account);
        expect(wallet.holds).toHaveLength(first < 0 ? 0 : 1);
        const taken = first < 0 ? 0n : (asked[first]?.amount ?? 0n);
        expect(wallet.balance).toBe(balance - taken);
        const state = await keyState(ledger, account.keys[0].keyId);
        if (caps.daily_usd !== undefined) expect(state.dayLeft).toBe(caps.daily_usd - taken);
      }),
      { numRuns: rounds(60) },
    );
  });

  it('a call whose process fails or dies at any of its database calls leaves nothing, and no cap with too much', async () => {
    const fault = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom(...FAULTS));
    const plan = fc.array(fault, { minLength: 1, maxLength: 2 }).map((pairs) => new Map(pairs));
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 0n, max: 1_200n }), policy, plan, async (balance, caps, faults) => {
        nowMs = NOON_MS;
        const account = await openAccount(database.client, balance, { rpm: 5, ...caps });
        const [key] = account.keys;
        const process = new FailingProcess(database, faults);
        const { ledger } = open(process.clients);
        const admission = await ledger.admit(callOf(key, 0n, { offers: THREE })).catch(() => undefined);
        const cost = (admission?.hold.amount ?? 0n) / 2n;
        await admission?.settle(outcomeOf(cost, { tokens: 3 })).catch(() => {});
        await process.landLate();
        nowMs += (HOLD_TTL_SECONDS + 1) * 1_000;
        await sweep(open(), database.client);
        const { wallet, audit, records } = await booksOf(database.client, account);
        expect(wallet.holds).toEqual([]);
        expect(audit.exact).toBe(true);
        expect(records.length).toBeLessThanOrEqual(1);
        const spent = records.reduce((sum, record) => sum + record.cost, 0n);
        expect(spent === 0n || spent === cost).toBe(true);
        expect(wallet.balance).toBe(balance - spent);
        const state = await keyState(open(), key.keyId);
        if (caps.daily_usd !== undefined) expect(state.dayLeft <= caps.daily_usd - spent).toBe(true);
        if (caps.monthly_usd !== undefined) expect(state.monthLeft <= caps.monthly_usd - spent).toBe(true);
        expect(state.requestsLeft).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: rounds(150) },
    );
  }, 120_000);

  it('racing calls of several offers never hold more than there is, and leave exact books', async () => {
    const { account, call, books } = await accountWith(1_530n, { rpm: 100 });
    const processes = [open(), open(), open()];
    const admissions = (
      await Promise.all(
        Array.from({ length: 30 }, (_, at) =>
          (processes[at % 3] ?? open()).ledger.admit(call()).catch(() => undefined),
        ),
      )
    ).filter((admission) => admission !== undefined);
    const held = admissions.reduce((sum, { hold }) => sum + hold.amount, 0n);
    expect((await books()).wallet).toMatchObject({ balance: 1_530n - held });
    expect(admissions.length).toBeGreaterThan(1);
    await Promise.all(admissions.map((admission) => admission.settle(outcomeOf(1n))));
    const { wallet, audit } = await books();
    expect(wallet).toMatchObject({ balance: 1_530n - BigInt(admissions.length), holds: [] });
    expect(audit.exact).toBe(true);
    expect(account.keys).toHaveLength(1);
  });
});
