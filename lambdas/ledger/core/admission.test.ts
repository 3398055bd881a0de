import { DeleteItemCommand, type UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { ServiceError } from '../../platform/core/errors.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { aroundSend } from '../testing/failing-process.ts';
import {
  auditAll,
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
} from '../testing/running-ledger.ts';

/** A request names one model and at most 4 further ones; a model has at most 20 aliases. */
const MAX_MODELS = 5;
const MAX_ALIASES = 20;

/** Source: Amazon DynamoDB developer guide, Quotas, "Expression parameters": an expression is at most 4 KB. */
const MAX_EXPRESSION_BYTES = 4096;

const database = fileDatabase();
const open = () => openLedger({ clients: database, clock: () => NOON_MS });

describe('admission', () => {
  it('holds nothing for an account without a wallet', async () => {
    const account = await openAccount(database.client, 100n, {});
    await database.client.send(
      new DeleteItemCommand({
        TableName: database.tables.wallets,
        Key: { wallet_id: { S: account.accountId } },
      }),
    );
    await expect(open().ledger.admit(callOf(account.keys[0], 1n))).rejects.toMatchObject({
      code: 'insufficient_credit',
    });
  });

  it('admits a call that costs nothing on an empty wallet', async () => {
    const account = await openAccount(database.client, 0n, {});
    const admission = await open().ledger.admit(callOf(account.keys[0], 0n));
    expect(await admission.settle(outcomeOf(0n))).toMatchObject({ balance: 0n });
  });

  it('recovers an expired hold and uses its credit for the same call if the credit is needed', async () => {
    const account = await openAccount(database.client, 1_000n, {});
    const [key] = account.keys;
    await open().ledger.admit(callOf(key, 900n));
    // That call died without a usage record.
    const later = openLedger({ clients: database, clock: () => NOON_MS + HOLD_TTL_SECONDS * 1000 });
    const admission = await later.ledger.admit(callOf(key, 950n));
    await admission.settle(outcomeOf(950n));
    const { wallet, records } = await ledgerOf(database.client, account);
    expect(wallet).toMatchObject({ balance: 50n, holds: [] });
    expect(records.map(({ status }) => status).toSorted()).toEqual(['completed', 'expired']);
  });

  it.each([
    [60_000, 'admitted'],
    [60_001, 'overloaded'],
  ])(
    'takes %d ms between its database requests and their responses, and ends as %s',
    async (stopMs, ends) => {
      const account = await openAccount(database.client, 500n, { rpm: 9, daily_usd: 500n });
      const [key] = account.keys;
      let nowMs = NOON_MS;
      const stopping = aroundSend(database.client, async (command, send) => {
        const output = await send(command);
        nowMs = NOON_MS + stopMs;
        return output;
      });
      const clients = { client: stopping, onceClient: database.onceClient };
      const { ledger, keys } = openLedger({ clients, clock: () => nowMs });
      const end = await ledger.admit(callOf(key, 100n)).then(
        () => 'admitted',
        (failure: ServiceError) => failure.code,
      );
      expect(end).toBe(ends);
      const remaining = ends === 'admitted' ? 400n : 500n;
      expect((await keys.read(key.keyId))?.dayLeft).toBe(remaining);
      expect((await ledgerOf(database.client, account)).wallet.balance).toBe(remaining);
    },
  );

  it('returns the rate limits at the time of its own charge', async () => {
    const account = await openAccount(database.client, 100n, { rpm: 7, tpm: 100 });
    const { headers } = await open().ledger.admit(callOf(account.keys[0], 1n, { tokens: 30 }));
    expect(headers).toMatchObject({
      'x-ratelimit-remaining-requests': '6',
      'x-ratelimit-remaining-tokens': '70',
    });
  });

  it('stays within the expression size limit of DynamoDB for the maximum number of models and aliases', async () => {
    const expressionBytes: number[] = [];
    const client = aroundSend(database.client, (command, send) => {
      const { ConditionExpression: condition } = (command as UpdateItemCommand).input;
      expressionBytes.push(Buffer.byteLength(condition ?? ''));
      return send(command);
    });
    const { ledger } = openLedger({ clients: { ...database, client }, clock: () => NOON_MS });
    const names = (model: number) =>
      Array.from({ length: 1 + MAX_ALIASES }, (_, alias) => `m${model}-${alias}`);
    const models = Array.from({ length: MAX_MODELS }, (_, model) => names(model));
    const allowed = models.map((each) => each.at(-1) ?? '');
    const account = await openAccount(database.client, 100n, { allowed_models: allowed });
    const scope = { kind: 'chat' as const, models };
    // A refusal is judged below.
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (let call = 0; call < 2; call += 1) {
      const attempt = ledger.admit(callOf(account.keys[0], 1n, { scope }));
      outcomes.push(
        ...(await Promise.allSettled([attempt.then((admission) => admission.settle(outcomeOf(1n)))])),
      );
    }
    expect(Math.max(...expressionBytes)).toBeLessThanOrEqual(MAX_EXPRESSION_BYTES);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});

it('the ledger of all tests above remains exact', async () => {
  expect((await auditAll(database.client)).exact).toBe(true);
});
