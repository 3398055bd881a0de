import type { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyLeaseWrite, NO_COST } from '../../access/core/keys/key-leases.ts';
import { windowsAt } from '../../access/core/keys/windows.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { checkSigningLimit } from '../../platform/dynamodb/signing-limit.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { keyState, rejectionOf } from '../testing/attempts.ts';
import { aroundSend } from '../testing/failing-process.ts';
import {
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  repairAll,
  sweep,
  type TestAccount,
} from '../testing/running-ledger.ts';
import { REST_SECONDS } from './key-rest.ts';

const CAPS = { daily_usd: 1_000n, monthly_usd: 5_000n };
/** Long enough for a hold to expire, and for its key to be at rest. */
const LATER_MS = (REST_SECONDS + 60) * 1000;

const database = fileDatabase();
let nowMs = NOON_MS;

beforeEach(() => {
  nowMs = NOON_MS;
});

const open = (clients: DynamoClients = database) => openLedger({ clients, clock: () => nowMs });

const repair = (account: TestAccount) => repairAll(open(), database.client, account, () => nowMs);

/**
 * Returns the excess of the caps over the remainder after the settled costs. A value is less than 0 if an amount is
 * missing.
 */
async function excessOf(account: TestAccount): Promise<{ readonly day: bigint; readonly month: bigint }> {
  const { dayLeft, monthLeft } = await keyState(open(), account.keys[0].keyId);
  const { records } = await ledgerOf(database.client, account);
  const now = windowsAt(nowMs);
  const settledIn = (window: 'day' | 'month') =>
    records
      .filter(({ created }) => windowsAt(created * 1000)[window] === now[window])
      .reduce((sum, { cost }) => sum + cost, 0n);
  return {
    day: dayLeft - CAPS.daily_usd + settledIn('day'),
    month: monthLeft - CAPS.monthly_usd + settledIn('month'),
  };
}

const EXACT = { day: 0n, month: 0n };

/** A call that dies with its hold, which is released when it has expired. */
async function dieWith(account: TestAccount, amount: bigint): Promise<void> {
  await open().ledger.admit(callOf(account.keys[0], amount));
  nowMs += LATER_MS;
  await sweep(open(), database.client);
}

describe('the remaining amount of a cap', () => {
  it('becomes exact at rest for an uncapped key too, because callers see its spend', async () => {
    const account = await openAccount(database.client, 10_000n, {});
    await dieWith(account, 500n);
    const before = await keyState(open(), account.keys[0].keyId);
    expect(await repair(account)).toBe(1);
    expect((await keyState(open(), account.keys[0].keyId)).monthLeft).toBe(before.monthLeft + 500n);
  });

  it('includes the cost of a call that ends in a later window than it starts in', async () => {
    nowMs = Date.UTC(2026, 6, 31, 23, 59);
    const account = await openAccount(database.client, 10_000n, CAPS);
    const admission = await open().ledger.admit(callOf(account.keys[0], 500n));
    nowMs = Date.UTC(2026, 7, 1, 0, 1);
    await admission.settle(outcomeOf(200n));
    nowMs += LATER_MS;
    expect(await repair(account)).toBe(1);
    expect(await keyState(open(), account.keys[0].keyId)).toMatchObject({ dayLeft: 800n, monthLeft: 4_800n });
  });
});

describe('a cap that a call exceeds', () => {
  it('returns the charge of a dead call to the cap, and admits the exceeding call', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    // Nobody has released its hold.
    await open().ledger.admit(callOf(account.keys[0], 900n));
    nowMs += LATER_MS;
    const admission = await open().ledger.admit(callOf(account.keys[0], 1_000n));
    await admission.settle(outcomeOf(300n));
    expect(await excessOf(account)).toEqual(EXACT);
    expect((await keyState(open(), account.keys[0].keyId)).requestsLeft).toBe(99);
  });

  it('rejects a call that the repaired amount does not cover, and the second rejection reads no records', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    const [key] = account.keys;
    await (await open().ledger.admit(callOf(key, 600n))).settle(outcomeOf(600n));
    await dieWith(account, 400n);
    let read = 0;
    const counting = aroundSend(database.client, (command, send) => {
      if ((command as UpdateItemCommand).constructor.name === 'GetItemCommand') read += 1;
      return send(command);
    });
    const attempt = () => open({ ...database, client: counting }).ledger.admit(callOf(key, 401n));
    expect((await rejectionOf(attempt())).code).toBe('daily_usd_exceeded');
    expect(await excessOf(account)).toEqual(EXACT);
    expect(read).toBeGreaterThan(0);
    read = 0;
    expect((await rejectionOf(attempt())).code).toBe('daily_usd_exceeded');
    expect(read).toBe(0);
  });

  it.each([
    ['was used a moment ago', (REST_SECONDS - 1) * 1000],
    ['has a call that is open', HOLD_TTL_SECONDS * 1000],
  ])('stays unrepaired if its key %s', async (what, passedMs) => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    const [key] = account.keys;
    nowMs -= passedMs;
    await open().ledger.admit(callOf(key, 900n));
    nowMs = NOON_MS;
    if (what.startsWith('has')) {
      const { wallets } = open();
      const created = NOON_MS / 1000;
      const hold = { keyId: key.keyId, kind: 'chat' as const, amount: 1n, created, expires: created + 3600 };
      await wallets.hold(account.accountId, { ...hold, id: 'req_open' });
      nowMs += LATER_MS - passedMs - 30_000;
    }
    expect((await rejectionOf(open().ledger.admit(callOf(key, 200n)))).code).toBe('daily_usd_exceeded');
    expect((await keyState(open(), key.keyId)).repaired).toBeUndefined();
  });

  it('stays unrepaired and rejects the call if not all of the records could be read', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    await dieWith(account, 900n);
    const setups = [async () => undefined, () => Promise.reject(new Error('no answer'))];
    for (const spend of setups) {
      const { ledger } = openLedger({ clients: database, clock: () => nowMs, spend });
      const rejection = await rejectionOf(ledger.admit(callOf(account.keys[0], 200n)));
      expect(rejection.code).toBe('daily_usd_exceeded');
    }
  });

  it('admits a call whose body is not read yet, if a repair may raise the remaining amount', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    const [key] = account.keys;
    await open().ledger.admit(callOf(key, 1_000n));
    const { keyCheck } = open();
    const check = () =>
      keyCheck.checkKind(key, {
        kind: 'chat',
        isPaid: true,
        needsCredit: false,
        isReplay: async () => false,
      });
    expect((await rejectionOf(check())).code).toBe('daily_usd_exceeded');
    nowMs += LATER_MS;
    await check();
  });
});

describe('a key that a process has leased', () => {
  const opening = (keyId: string): KeyLeaseWrite => ({
    leaseId: 'lease',
    keyId,
    windows: windowsAt(nowMs),
    from: undefined,
    asks: true,
    change: 400n,
    requests: 4,
    tokens: 0,
    to: { keyId, amount: 400n, expires: nowMs, sequence: 1, settled: NO_COST },
  });

  it('keeps its caps, because what the lease holds has no record yet', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    await dieWith(account, 500n);
    await open().keys.writeLease(opening(account.keys[0].keyId));
    nowMs += LATER_MS;
    expect(await repair(account)).toBe(0);
    expect((await excessOf(account)).day).toBe(-900n);
  });

  it('keeps its caps if the lease opens between the reading of the key and the repair', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    const [{ keyId }] = account.keys;
    await dieWith(account, 500n);
    const before = await keyState(open(), keyId);
    await open().keys.writeLease(opening(keyId));
    const capsLeft = { dayLeft: CAPS.daily_usd, monthLeft: CAPS.monthly_usd };
    expect(await open().keys.repair(before, windowsAt(nowMs), capsLeft)).toBe(false);
  });
});

describe('a process that stops before its refund, and continues after a repair', () => {
  /** Its last request waits until the key is repaired; `change` is what it sends then. */
  async function stopAndGoOn(change: (input: UpdateItemCommand['input']) => void): Promise<TestAccount> {
    const account = await openAccount(database.client, 10_000n, CAPS);
    let goOn = (): void => {};
    const isRepaired = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const stopping = aroundSend(database.onceClient, async (command, send) => {
      const { input } = command as UpdateItemCommand;
      if (input.UpdateExpression?.includes(', daily_usd) + :d') === true) {
        await isRepaired;
        change(input);
      }
      return send(command);
    });
    const { ledger } = open({ client: database.client, onceClient: stopping });
    const admission = await ledger.admit(callOf(account.keys[0], 500n));
    const settled = admission.settle(outcomeOf(200n));
    while ((await ledgerOf(database.client, account)).wallet.holds.length > 0);
    nowMs += LATER_MS;
    expect(await repair(account)).toBe(1);
    expect(await excessOf(account)).toEqual(EXACT);
    goOn();
    await settled;
    return account;
  }

  it('refunds nothing and charges the cost once more, until the next repair corrects the cap', async () => {
    const account = await stopAndGoOn(() => {});
    expect(await excessOf(account)).toEqual({ day: -200n, month: -200n });
    nowMs += LATER_MS;
    expect(await repair(account)).toBe(1);
    expect(await excessOf(account)).toEqual(EXACT);
  });

  it('leaves too much of the cap without the condition of the write (control)', async () => {
    const account = await stopAndGoOn((input) => {
      input.ConditionExpression = input.ConditionExpression?.replace(
        ' AND attribute_not_exists(repaired)',
        '',
      );
    });
    expect((await excessOf(account)).day).toBe(300n);
  });
});

describe('a process that stops between the reading of its clock and its signature, and dies', () => {
  it('moves the last charge of a key back by no more than a repair allows for', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS);
    const [key] = account.keys;
    let [goOn, end] = [(): void => {}, (_outcome: 'unsigned' | 'charged'): void => {}];
    const isRepaired = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const outcome = new Promise<'unsigned' | 'charged'>((resolve) => {
      end = resolve;
    });
    const stopping = aroundSend(database.client, async (command, send) => {
      const { input } = command as UpdateItemCommand;
      if (input.UpdateExpression?.includes('used = :now') !== true) return send(command);
      await isRepaired;
      try {
        // The process signs so much later than it has read its clock.
        checkSigningLimit(input, Date.now() + LATER_MS);
      } catch (failure) {
        end('unsigned');
        throw failure;
      }
      await send(command);
      end('charged');
      return new Promise(() => {});
    });
    const stopped = open({ client: stopping, onceClient: database.onceClient });
    stopped.ledger.admit(callOf(key, 300n)).catch(() => {});
    await dieWith(account, 500n);
    nowMs += LATER_MS;
    await sweep(open(), database.client);
    expect(await repair(account)).toBe(1);
    goOn();
    expect(await outcome).toBe('unsigned');
    nowMs += LATER_MS;
    await sweep(open(), database.client);
    await repair(account);
    expect(await excessOf(account)).toEqual(EXACT);
  });
});
