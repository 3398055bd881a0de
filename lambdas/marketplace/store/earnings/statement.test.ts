import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeTime } from 'ulid';
import { statementBody, statementDays } from '../../../ledger/core/usage/statement.ts';
import { createCreditHistory } from '../../../ledger/store/usage/credit-history.ts';
import { createUsageStore } from '../../../ledger/store/usage-store.ts';
import { createWalletStore } from '../../../ledger/store/wallet/store.ts';
import { recordOf } from '../../../ledger/testing/usage/simulated-usage.ts';
import { text } from '../../../platform/dynamodb/attribute-values.ts';
import { putItem } from '../../../platform/dynamodb/update-item.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { MarketWorld } from '../../testing/market-world.ts';

const database = fileDatabase();
let world: MarketWorld;
beforeAll(() => {
  world = new MarketWorld(database);
});

/** Settles a call of that cost, with its record, as the ledger does. */
async function callAt(accountId: string, cost: bigint): Promise<void> {
  const { client, tables } = database;
  const id = `${encodeTime(world.nowSeconds * 1000, 10)}${accountId.slice(-16)}`;
  const keyId = `key_${accountId.slice(4)}`;
  await putItem(client, {
    TableName: tables.keys,
    Item: { key_id: text(keyId), account_id: text(accountId) },
  });
  const hold = {
    id: `req_${id}`,
    keyId,
    amount: cost * 2n,
    kind: 'chat',
    expires: world.nowSeconds,
  } as const;
  const wallets = createWalletStore(database, tables.wallets);
  const result = await wallets.hold(accountId, hold);
  const [held] = result.wallet?.holds ?? [];
  expect(result.granted).toBe(true);
  const plan = { key: 0, startMs: 0, tookMs: 0, model: 'sim/a', kind: 'chat', status: 'completed' } as const;
  const record = recordOf({ ...plan, cost, units: 1 }, 0);
  await createUsageStore(client, tables.usage).put({
    ...record,
    id: hold.id,
    keyId,
    accountId,
    created: world.nowSeconds,
  });
  await wallets.endHold(accountId, { ...hold, ...held, kind: hold.kind, cost, recorded: world.nowSeconds });
}

const DAY_SECONDS = 86_400;
const nano = (usd: unknown): bigint => BigInt(Math.round(Number(JSON.stringify(usd)) * 1e9));

/** The statement of the days from `start` up to and including `last`, counted from the first day of the world. */
async function statementOf(accountId: string, start: number, last: number) {
  const first = Math.floor((world.nowSeconds - world.day * DAY_SECONDS) / DAY_SECONDS);
  const history = await createCreditHistory({ clients: database, environment: database.environment })(
    accountId,
  );
  const {
    start: from,
    end,
    charges,
    charges_omitted: omitted,
    ...amounts
  } = statementBody(history, { start: first + start, end: first + last + 1 });
  expect([from, end]).toEqual([(first + start) * DAY_SECONDS, (first + last + 1) * DAY_SECONDS]);
  const { opening, closing, ...lines } = Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, nano(amount)]),
  ) as Record<keyof typeof amounts, bigint>;
  const charged = charges.reduce((sum, { amount }) => sum + nano(amount), 0n);
  expect([charged, omitted]).toEqual([lines.purchases + lines.purchase_refunds, 0]);
  const moved = Object.entries(lines).filter(([, amount]) => amount !== 0n);
  const listed = charges.map(({ amount: _, created: __, ...charge }) => charge);
  return { opening, closing, lines: Object.fromEntries(moved), charges: listed };
}

const usd = (cents: number): bigint => BigInt(cents) * 10_000_000n;
const LAST_DAY = 20;

/** Each kind of movement on another day. Returns what the statement of that day has for it. */
async function liveThrough() {
  const [seller, buyer] = [await world.open(), await world.open()];
  const listing = await world.list(seller, 400);
  let charge = '';
  let order = '';
  const steps: readonly (readonly [number, string, Record<string, bigint>, () => Promise<unknown>])[] = [
    [1, buyer, { top_ups: usd(1000) }, async () => (order = await world.pay(buyer, 1000))],
    [2, buyer, { grants: usd(500) }, () => world.grant(buyer, 500)],
    [3, buyer, { usage: -123_456_789n }, () => callAt(buyer, 123_456_789n)],
    [4, buyer, { purchases: -usd(400) }, async () => (charge = await world.buy(buyer, listing))],
    [5, buyer, { purchase_refunds: usd(100) }, () => world.refund(seller, { charge, cents: 100 })],
    [13, seller, {}, () => world.processDue()],
    [14, seller, { transfers: usd(50) }, () => world.transfer(seller, { amount: usd(50) })],
    [15, buyer, { refunds: -usd(1000) }, () => world.reverse(buyer, order, 'd1', 1000)],
    [16, buyer, { top_ups: usd(1000) }, () => world.reverse(buyer, order, 'd1', 1000, true)],
    [17, seller, { usage: -1n }, () => callAt(seller, 1n)],
  ];
  const expected: [number, string, Record<string, bigint>][] = [];
  for (const [day, account, lines, step] of steps) {
    world.day = day;
    await step();
    expected.push([day, account, lines]);
  }
  world.day = LAST_DAY;
  return { seller, buyer, expected, charges: chargesOf(charge, listing.id) };
}

/** The purchase and its refund, newest first. */
const chargesOf = (id: string, listing_id: string) => [
  { id, type: 'refund', listing_id },
  { id, type: 'purchase', listing_id },
];

describe('the statement of an account', () => {
  it('shows a line for each kind of movement, and adds up for every span, before and after an audit', async () => {
    const { seller, buyer, expected, charges } = await liveThrough();
    for (const audits of [0, 1]) {
      if (audits === 1) expect(await world.audit(seller, buyer)).toEqual([]);
      for (const [day, account, lines] of expected)
        expect([day, (await statementOf(account, day, day)).lines]).toEqual([day, lines]);
      for (const account of [seller, buyer]) {
        const { balance, owed } = await world.wallet(account);
        const whole = await statementOf(account, 0, LAST_DAY);
        expect([whole.opening, whole.closing]).toEqual([0n, balance - owed]);
        expect(whole.charges).toEqual(account === buyer ? charges : []);
        let before = 0n;
        for (let start = 0; start <= LAST_DAY; start += 4) {
          const { opening, closing, lines } = await statementOf(account, start, start + 3);
          expect(opening).toBe(before);
          expect(Object.values(lines).reduce((sum, amount) => sum + amount, opening)).toBe(closing);
          before = closing;
        }
        expect(before).toBe(balance - owed);
      }
    }
  });

  it('includes open holds, and debt as a credit below zero', async () => {
    const account = await world.open();
    const order = await world.pay(account, 1000);
    const hold = { id: 'req_1', keyId: 'key_1', amount: usd(1000), kind: 'chat', expires: 1 } as const;
    await createWalletStore(database, database.tables.wallets).hold(account, hold);
    expect((await statementOf(account, LAST_DAY, LAST_DAY)).closing).toBe(usd(1000));
    await world.reverse(account, order, 'd1', 600);
    expect((await statementOf(account, LAST_DAY, LAST_DAY)).closing).toBe(usd(400));
  });
});

describe('the span of a statement', () => {
  it('consists of whole UTC days, and exists only if a start is requested', () => {
    const now = 10.5 * DAY_SECONDS * 1000;
    expect(statementDays({}, now)).toBeUndefined();
    expect(statementDays({ start: 3.9 * DAY_SECONDS * 1000 }, now)).toEqual({ start: 3, end: 11 });
    const backwards = { start: now, end: 2 * DAY_SECONDS * 1000 };
    expect(() => statementDays(backwards, now)).toThrow(expect.objectContaining({ param: 'end' }));
  });
});
