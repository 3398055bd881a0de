import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../platform/core/errors.ts';
import { formatUsd, type NanoUsd } from '../../platform/core/money.ts';
import { number, text } from '../../platform/dynamodb/attribute-values.ts';
import { updateItem } from '../../platform/dynamodb/update-item.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { createExhaustion, PACE_DAYS, sweepAlerts } from '../core/alerts/alerts.ts';
import type { AlertStore, AlertThresholds, MoneyEvent } from '../core/alerts/ports.ts';
import { CreditShortage } from '../core/credit-shortage.ts';
import { FailingProcess, type Fault } from '../testing/failing-process.ts';
import {
  callOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  SILENT,
  type TestAccount,
} from '../testing/running-ledger.ts';
import { createAlertReads } from './alert-reads.ts';
import { createCreditReader, DynamoAlertStore } from './alert-store.ts';
import { DynamoCreditStore } from './credit-store.ts';

const COST = 1_000n;
const OFF: AlertThresholds = { lowUsd: undefined, lowDays: undefined };

const database = fileDatabase();
const clock = () => NOON_MS;

interface ProcessOptions {
  readonly clients?: Pick<typeof database, 'client' | 'onceClient'>;
  readonly isFinished?: () => boolean;
  readonly isDead?: () => boolean;
  readonly published: MoneyEvent[];
  readonly weaken?: (store: AlertStore) => Partial<AlertStore>;
}

/** A process with a memory of its own. */
function startProcess({ clients = database, published, weaken = () => ({}), ...options }: ProcessOptions) {
  const { isFinished = () => true, isDead = () => false } = options;
  const store = new DynamoAlertStore(clients.client, database.tables.accounts);
  const ledger = openLedger({ clients, clock });
  const { environment } = database;
  const dependencies = {
    store: Object.assign(Object.create(store) as AlertStore, bound(store), weaken(store)),
    publish: async (event: MoneyEvent) => {
      if (isDead()) throw new Error('the process is dead');
      published.push(event);
    },
    isFinished,
    ulid: systemUlid,
    log: SILENT,
  };
  const readCredit = createCreditReader({ clients, environment }, clock);
  const exhausted = createExhaustion(dependencies);
  return {
    store,
    exhausted,
    sweep: () => sweepAlerts({ ...dependencies, readCredit }),
    /** Makes a call as a paid endpoint does; returns whether it was admitted. */
    async call({ accountId, keys: [key] }: TestAccount, amount: NanoUsd = COST): Promise<boolean> {
      try {
        const admission = await ledger.ledger.admit(callOf(key, amount));
        await admission.settle(outcomeOf(amount));
        return true;
      } catch (failure) {
        if (!(failure instanceof ServiceError && failure.cause instanceof CreditShortage)) throw failure;
        await exhausted(accountId, failure.cause);
        return false;
      }
    },
  };
}

const bound = (store: AlertStore): Partial<AlertStore> => ({
  get: store.get.bind(store),
  pages: store.pages.bind(store),
  turn: store.turn.bind(store),
  exhaust: store.exhaust.bind(store),
  markPublished: store.markPublished.bind(store),
});

const topUp = ({ accountId }: TestAccount, amount: NanoUsd) =>
  new DynamoCreditStore(database.client, database.tables).topUp({
    accountId,
    id: systemUlid(),
    amount,
    created: NOON_MS / 1000,
    source: 'test',
  });

const storeOf = () => new DynamoAlertStore(database.client, database.tables.accounts);

/** An account that is alerted below half of its credit. */
async function openAlerted(credit: NanoUsd): Promise<TestAccount> {
  const account = await openAccount(database.client, credit, {});
  await storeOf().setThresholds(account.accountId, { ...OFF, lowUsd: credit / 2n });
  return account;
}

const endAlerts = (accounts: readonly TestAccount[]) =>
  Promise.all(accounts.map(({ accountId }) => storeOf().setThresholds(accountId, OFF)));

/** The events of an account, each once, by their types. */
function eventsOf(published: readonly MoneyEvent[], { accountId }: TestAccount) {
  const own = new Map(
    published.filter((event) => event.accountId === accountId).map((each) => [each.id, each.type]),
  );
  return [...own.values()].toSorted();
}

const RACES = 200;
const BOTH = ['balance.low', 'credit.exhausted'];

/** Processes make calls of all accounts until their credit is used up, while others sweep. */
async function race(
  accounts: readonly TestAccount[],
  published: MoneyEvent[],
  weaken?: ProcessOptions['weaken'],
) {
  const options = { published, ...(weaken === undefined ? {} : { weaken }) };
  const callers = [startProcess(options), startProcess(options), startProcess(options)];
  let isOver = false;
  const sweepers = [0, 1, 2].map(async () => {
    const { sweep } = startProcess(options);
    while (!isOver) await sweep();
    await sweep();
  });
  const calling = accounts.flatMap((account) =>
    callers.map(async ({ call }) => {
      while (await call(account)) {}
      await call(account);
    }),
  );
  await Promise.all(calling).finally(() => {
    isOver = true;
  });
  await Promise.all(sweepers);
}

describe('alerts of money', () => {
  it(`publish one event of each type in ${RACES} races around the thresholds, and again after a top-up`, async () => {
    const published: MoneyEvent[] = [];
    const accounts = await Promise.all(Array.from({ length: RACES }, () => openAlerted(6n * COST)));
    for (const times of [1, 2]) {
      await race(accounts, published);
      const expected = BOTH.flatMap((type) => Array.from({ length: times }, () => type));
      for (const account of accounts) expect(eventsOf(published, account)).toEqual(expected);
      await Promise.all(accounts.map((account) => topUp(account, 6n * COST)));
      await startProcess({ published }).sweep();
    }
    await endAlerts(accounts);
  });

  it('publish more in these races if their writes have no condition', async () => {
    const published: MoneyEvent[] = [];
    const accounts = await Promise.all(Array.from({ length: 20 }, () => openAlerted(6n * COST)));
    await race(accounts, published, (store) => ({
      exhaust: async (event) => store.exhaust(event, BigInt(Number.MAX_SAFE_INTEGER)).then(() => true),
      turn: async (alerts, event) => store.turn(alerts, event).then(() => true),
    }));
    for (const type of BOTH)
      expect(
        new Set(published.filter((event) => event.type === type).map(({ id }) => id)).size,
      ).toBeGreaterThan(20);
    await endAlerts(accounts);
  });

  const FAULTS: readonly Fault[] = ['dies-before', 'dies-after', 'answer-lost', 'unsent'];

  it.each(FAULTS)('lose and repeat nothing if a process %s at any request of an alert', async (fault) => {
    for (let ordinal = 1; ordinal <= 8; ordinal += 1) {
      const published: MoneyEvent[] = [];
      const account = await openAlerted(2n * COST);
      while (await startProcess({ published: [], isFinished: () => false }).call(account)) {}
      const wallet = await openLedger({ clients: database, clock }).wallets.read(account.accountId);
      const shortage = new CreditShortage(wallet ?? { balance: 0n }, COST);
      const failing = new FailingProcess(database, new Map([[ordinal, fault]]));
      const isDead = () => failing.dead;
      const first = startProcess({ clients: failing.clients, published, isDead });
      await first.exhausted(account.accountId, shortage);
      await first.sweep().catch(() => {});
      const next = startProcess({ published });
      await next.exhausted(account.accountId, shortage);
      await next.sweep();
      expect([ordinal, eventsOf(published, account)]).toEqual([ordinal, BOTH]);
      const { unpublished } = await storeOf().get(account.accountId);
      expect(unpublished).toEqual([]);
      await endAlerts([account]);
      await next.sweep();
    }
  });

  it('publish in the next sweep what the bus has not taken, unchanged', async () => {
    const published: MoneyEvent[] = [];
    const account = await openAccount(database.client, 12_345_678_901_234_567_890n, {});
    const failing = startProcess({ published, isDead: () => true });
    expect(await failing.call(account, 12_345_678_901_234_567_891n)).toBe(false);
    expect(published).toEqual([]);
    await startProcess({ published }).sweep();
    expect(published.map(({ type, data }) => [type, data])).toEqual([
      ['credit.exhausted', { balance: 12345678901.234568, currency: 'USD', estimate: 12345678901.234568 }],
    ]);
    await startProcess({ published }).sweep();
    expect(published).toHaveLength(1);
  });

  it('cost no request for a wallet whose exhaustion the process has recorded', async () => {
    const counted = new FailingProcess(database, new Map());
    const { exhausted } = startProcess({ clients: counted.clients, published: [] });
    const shortage = new CreditShortage({ balance: 7n }, COST);
    const accountId = `acc_${systemUlid()}`;
    await exhausted(accountId, shortage);
    const { calls } = counted;
    await exhausted(accountId, shortage);
    expect([calls, counted.calls]).toEqual([2, 2]);
  });

  it('write and publish nothing for an account that never had credit, or before the upgrade is finished', async () => {
    const published: MoneyEvent[] = [];
    const account = await openAccount(database.client, 0n, {});
    expect(await startProcess({ published }).call(account)).toBe(false);
    await topUp(account, COST / 2n);
    expect(await startProcess({ published, isFinished: () => false }).call(account)).toBe(false);
    await startProcess({ published, isFinished: () => false }).sweep();
    expect([published, await storeOf().get(account.accountId)]).toEqual([
      [],
      { accountId: account.accountId, ...OFF, turns: 0, unpublished: [] },
    ]);
  });

  it('compare their thresholds with the present credit when they are read, between two sweeps too', async () => {
    const account = await openAlerted(6n * COST);
    const { accountId } = account;
    const { call, sweep } = startProcess({ published: [] });
    const { read } = createAlertReads({ clients: database, environment: database.environment, clock });
    const low = async () => (await read(accountId)).low;
    await sweep();
    expect(await low()).toBe(false);
    while (await call(account)) {}
    expect(await low()).toBe(true);
    await sweep();
    await topUp(account, 6n * COST);
    expect(await low()).toBe(false);
    await storeOf().setThresholds(accountId, { ...OFF, lowDays: 365 });
    expect(await low()).toBe(true);
    await endAlerts([account]);
    expect(await low()).toBe(false);
  });

  it('compare the remaining credit with the cost of days at the recent pace', async () => {
    const published: MoneyEvent[] = [];
    const account = await openAccount(database.client, 100n * COST, {});
    const { call, sweep, store } = startProcess({ published });
    for (let calls = 0; calls < 14; calls += 1) await call(account);
    // 14 calls in 7 days are 2 a day: 86 are left, which last 43 days.
    await store.setThresholds(account.accountId, { ...OFF, lowDays: 43 });
    await sweep();
    expect(eventsOf(published, account)).toEqual([]);
    await store.setThresholds(account.accountId, { ...OFF, lowDays: 44 });
    await sweep();
    const [event] = published.filter(({ accountId }) => accountId === account.accountId);
    expect(event?.data).toMatchObject({ threshold: 'balance_low_days', value: 44 });
    expect(formatUsd(86n * COST)).toBe(JSON.stringify(event?.data.balance));
    // A cost that is older than the pace does not count.
    const day = Math.floor(NOON_MS / 86_400_000);
    await updateItem(database.client, {
      TableName: database.tables.wallets,
      Key: { wallet_id: text(account.accountId) },
      UpdateExpression: `REMOVE spent_${day} SET spent_${day - PACE_DAYS} = :cost`,
      ExpressionAttributeValues: { ':cost': number(14n * COST) },
    });
    await sweep();
    expect((await store.get(account.accountId)).turns).toBe(2);
    await endAlerts([account]);
  });
});
