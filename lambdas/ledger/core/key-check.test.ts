import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from '../../access/core/keys/policy.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { type Item, number, text } from '../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { DynamoCreditStore } from '../store/credit-store.ts';
import { keyState, rejectionOf, settleAll } from '../testing/attempts.ts';
import {
  callOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
} from '../testing/running-ledger.ts';

const PLENTY = 10n ** 15n;

const database = fileDatabase();
let nowMs = NOON_MS;

beforeEach(() => {
  nowMs = NOON_MS;
});

const open = () => openLedger({ clients: database, clock: () => nowMs });

describe('a rejection', () => {
  const everything: Policy = {
    allowed_kinds: ['image'],
    allowed_models: ['sim/other'],
    rpm: 1,
    tpm: 1,
    daily_usd: 0n,
    monthly_usd: 0n,
  };
  const rejectedCases: readonly (readonly [string, Policy])[] = [
    ['403 kind_not_allowed', everything],
    ['403 model_not_allowed', { ...everything, allowed_kinds: ['chat'] }],
    ['429 tokens_per_minute', { rpm: 1, tpm: 1, daily_usd: 0n, monthly_usd: 0n }],
    ['402 daily_usd_exceeded', { daily_usd: 0n, monthly_usd: 0n }],
    ['402 monthly_usd_exceeded', { monthly_usd: 0n }],
    ['402 insufficient_credit', {}],
  ];

  it.each(rejectedCases)(
    'returns %s, the first of all applicable reasons, on the first call and on the next',
    async (code, policy) => {
      const ledger = open();
      const account = await openAccount(database.client, 0n, policy);
      const [key] = account.keys;
      for (let time = 0; time < 3; time += 1) {
        const reason = await rejectionOf(ledger.ledger.admit(callOf(key, 100n)));
        expect(`${reason.status} ${reason.code}`).toBe(code);
        expect(reason.headers['x-ratelimit-limit-requests']).toBe(String(policy.rpm ?? 100));
      }
      expect((await ledger.wallets.read(account.accountId))?.holds).toEqual([]);
      expect(await keyState(ledger, key.keyId)).toMatchObject({
        dayLeft: policy.daily_usd ?? expect.anything(),
        monthLeft: policy.monthly_usd ?? expect.anything(),
      });
    },
  );

  it('returns 401 before all else if the key is unknown, revoked, disabled or has another secret', async () => {
    const ledger = open();
    const account = await openAccount(database.client, 0n, everything, everything, everything);
    const [disabled, revoked = disabled, rotated = disabled] = account.keys;
    await setAttributes(disabled.keyId, { status: text('disabled') });
    await setAttributes(revoked.keyId, { status: text('revoked') });
    const unknown = { ...disabled, keyId: 'key_of_nobody' };
    for (const key of [disabled, revoked, { ...rotated, secretHash: 'another' }, unknown]) {
      for (let time = 0; time < 2; time += 1) {
        const reason = await rejectionOf(ledger.ledger.admit(callOf(key, 100n)));
        expect(`${reason.status} ${reason.code}`).toBe('401 invalid_api_key');
        expect(reason.headers).toEqual({});
      }
    }
  });

  it('returns requests_per_minute for a call over the limit that would also lack tokens, caps and credit', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 100n, { rpm: 1, tpm: 10, daily_usd: 100n })).keys;
    const admission = await ledger.ledger.admit(callOf(key, 100n));
    const reason = await rejectionOf(open().ledger.admit(callOf(key, 100n)));
    expect(reason.code).toBe('requests_per_minute');
    expect(reason.retryAfterSeconds).toBe(60);
    await settleAll([admission]);
  });

  it('ends with its minute', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, PLENTY, { rpm: 1 })).keys;
    await settleAll([await ledger.ledger.admit(callOf(key, 1n))]);
    expect((await rejectionOf(ledger.ledger.admit(callOf(key, 1n)))).code).toBe('requests_per_minute');
    nowMs = NOON_MS + 60_000;
    await settleAll([await ledger.ledger.admit(callOf(key, 1n))]);
  });

  it('stops applying on the next call after a change of the policy, the status or the credit', async () => {
    const ledger = open();
    const account = await openAccount(database.client, 10n, { daily_usd: 0n });
    const [key] = account.keys;
    const code = async () => {
      try {
        await settleAll([await ledger.ledger.admit(callOf(key, 100n))]);
      } catch (failure) {
        return failure instanceof ServiceError ? failure.code : failure;
      }
      return 'granted';
    };
    expect(await code()).toBe('daily_usd_exceeded');
    await setAttributes(key.keyId, {
      daily_usd: number(5000),
      version: number(2),
      allowed_kinds: { SS: ['image'] },
    });
    expect(await code()).toBe('kind_not_allowed');
    await setAttributes(key.keyId, { allowed_kinds: { SS: ['chat'] }, version: number(3) });
    expect(await code()).toBe('insufficient_credit');
    const topUp = { accountId: account.accountId, id: 'more', amount: 90n, created: 0, source: 'test' };
    await new DynamoCreditStore(database.client, database.tables).topUp(topUp);
    expect(await code()).toBe('granted');
    await setAttributes(key.keyId, { status: text('disabled') });
    expect(await code()).toBe('invalid_api_key');
    await setAttributes(key.keyId, { status: text('active') });
    expect(await code()).toBe('insufficient_credit');
  });

  it.each([
    ['one that has died', 'granted'],
    ['one that is open', 'insufficient_credit'],
  ])('requires a new check of a wallet without credit if a hold may end: %s', async (_what, second) => {
    const ledger = open();
    const [key] = (await openAccount(database.client, 100n, {})).keys;
    const expires = second === 'granted' ? 20 : HOLD_TTL_SECONDS;
    nowMs = NOON_MS - (HOLD_TTL_SECONDS - expires) * 1000;
    await open().ledger.admit(callOf(key, 80n));
    nowMs = NOON_MS;
    const attempt = () => ledger.ledger.admit(callOf(key, 50n));
    expect((await rejectionOf(attempt())).code).toBe('insufficient_credit');
    // Still the same minute, in which the refusal is remembered.
    nowMs = NOON_MS + 30_000;
    if (second === 'granted') await settleAll([await attempt()]);
    else expect((await rejectionOf(attempt())).code).toBe(second);
    nowMs = NOON_MS + 2 * HOLD_TTL_SECONDS * 1000;
    await sweep(open(), database.client);
  });

  it('does not affect a call without tokens in the minute of a token overrun', async () => {
    const ledger = open();
    const [key] = (await openAccount(database.client, PLENTY, { tpm: 100 })).keys;
    const call = (tokens: number) => ledger.ledger.admit(callOf(key, 10n, { tokens }));
    await (await call(100)).settle(outcomeOf(10n, { tokens: 130 }));
    expect((await keyState(ledger, key.keyId)).tokensLeft).toBe(-30n);
    expect((await rejectionOf(call(1))).code).toBe('tokens_per_minute');
    // The refusal is remembered, and judged again for this call.
    await settleAll([await call(0)]);
    await settleAll([await call(0)]);
    expect((await rejectionOf(call(1))).code).toBe('tokens_per_minute');
  });

  async function setAttributes(keyId: string, attributes: Item): Promise<void> {
    const entries = Object.entries(attributes);
    await database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.keys,
        Key: { key_id: text(keyId) },
        UpdateExpression: `SET ${entries.map((_, index) => `#a${index} = :a${index}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#a${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          entries.map(([, value], index) => [`:a${index}`, value]),
        ),
      }),
    );
  }
});
