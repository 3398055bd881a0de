import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { amountOf } from '../../../lambdas/inference/core/pricing/bill.ts';
import { keyState } from '../../../lambdas/ledger/testing/attempts.ts';
import { NOON_MS } from '../../../lambdas/ledger/testing/running-ledger.ts';
import {
  audio,
  bodyOf,
  field,
  file,
  forEach,
  formOf,
  mutatedForms,
  openUploads,
  FORM_TYPE as TYPE,
} from '../../../lambdas/platform/testing/mutated-forms.ts';
import { DATABASE_TABLES, startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { flac, wav } from '../../../tools/test-kit/recordings.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { type HeldKey, PRICE_PER_MINUTE, UploadService } from './upload-service.ts';

const durationCost = (pricePerMinute: bigint, seconds: number): bigint =>
  amountOf([{ quantity: seconds, price: pricePerMinute, per: 60 }]);

let database: TestDatabase;
let service: UploadService;
let nowMs = NOON_MS;

beforeAll(async () => {
  database = await startDatabase();
  service = new UploadService(database, () => nowMs);
  await service.start();
});
beforeEach(() => {
  nowMs = NOON_MS;
  service.errors.length = 0;
  service.respond = async () => ({ text: 'words', duration: 1 });
});
afterAll(async () => {
  service.stop();
  await database.stop();
});

const CREDIT = 10n ** 12n;

const send = (key: Pick<HeldKey, 'secret'>, form: Buffer, headers: Readonly<Record<string, string>> = {}) =>
  service.post(key, bodyOf(form).body, { ...TYPE, ...headers });

const walletOf = async ({ accountId }: HeldKey) => {
  const wallet = await service.ledger.wallets.read(accountId);
  if (wallet === undefined) throw new Error('the account has no wallet');
  return wallet;
};

const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code;
const costOf = (response: Response) => BigInt(Math.round(Number(response.headers.get('x-cost-usd')) * 1e9));
const priceOf = (seconds: number) => durationCost(PRICE_PER_MINUTE, seconds);

/** Changes the status of a key, as its owner would. */
const setStatus = ({ keyId }: HeldKey, status: string) =>
  database.client.send(
    new UpdateItemCommand({
      TableName: DATABASE_TABLES.keys,
      Key: { key_id: { S: keyId } },
      UpdateExpression: 'SET #status = :status',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': { S: status } },
    }),
  );

describe('the check before an upload is read', () => {
  const rejectionOf = async (
    key: Pick<HeldKey, 'secret'>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const form = bodyOf(formOf(file(audio)));
    const response = await service.post(key, form.body, { ...TYPE, ...headers });
    return {
      status: response.status,
      code: await codeOf(response),
      reads: form.reads,
      headers: response.headers,
    };
  };

  it('rejects a key that is no longer active, without its limits', async () => {
    for (const status of ['revoked', 'disabled']) {
      const key = await service.open(CREDIT);
      await setStatus(key, status);
      const { headers, ...answer } = await rejectionOf(key);
      expect(answer).toEqual({ status: 401, code: 'invalid_api_key', reads: 0 });
      expect(headers.get('x-ratelimit-limit-requests')).toBeNull();
    }
  });

  it('rejects a key for other kinds, a key without requests left and a key whose cap is exhausted', async () => {
    const other = await service.open(CREDIT, { allowed_kinds: ['chat'] });
    expect(await rejectionOf(other)).toMatchObject({ status: 403, code: 'kind_not_allowed', reads: 0 });
    const capped = await service.open(CREDIT, { daily_usd: 0n });
    expect(await rejectionOf(capped)).toMatchObject({ status: 402, code: 'daily_usd_exceeded', reads: 0 });
    const slow = await service.open(CREDIT, { rpm: 1 });
    expect((await send(slow, formOf(file(audio)))).status).toBe(200);
    const { headers, ...answer } = await rejectionOf(slow);
    expect(answer).toEqual({ status: 429, code: 'requests_per_minute', reads: 0 });
    expect(headers.get('retry-after')).toBe('60');
    nowMs += 60_000;
    expect((await send(slow, formOf(file(audio)))).status).toBe(200);
  });

  it('rejects an account without credit, and counts and holds nothing', async () => {
    const key = await service.open(0n);
    const before = await keyState(service.ledger, key.keyId);
    expect(await rejectionOf(key)).toMatchObject({ status: 402, code: 'insufficient_credit', reads: 0 });
    expect(await keyState(service.ledger, key.keyId)).toEqual(before);
    expect((await walletOf(key)).holds).toEqual([]);
  });

  it('counts the credit in a hold that has expired, and not in one that is open', async () => {
    const key = await service.open(1_000_000n);
    const created = Math.floor(nowMs / 1000);
    await service.ledger.wallets.hold(key.accountId, {
      id: 'req_open',
      keyId: key.keyId,
      amount: 1_000_000n,
      kind: 'chat',
      expires: created + 60,
    });
    expect(await rejectionOf(key)).toMatchObject({ status: 402, reads: 0 });
    nowMs += 60_000;
    expect((await send(key, formOf(file(audio)))).status).toBe(200);
  });

  it('lets a call that was paid for be replayed with nothing left, and no other', async () => {
    const key = await service.open(priceOf(2));
    const headers = { 'idempotency-key': 'all-there-is' };
    const first = await send(key, formOf(file(wav(0.96))), headers);
    expect([first.status, costOf(first), (await walletOf(key)).balance]).toEqual([
      200,
      priceOf(1),
      priceOf(1),
    ]);
    await service.ledger.wallets.hold(key.accountId, {
      id: 'req_rest',
      keyId: key.keyId,
      amount: priceOf(1),
      kind: 'chat',
      expires: Math.floor(nowMs / 1000) + 60,
    });
    const second = await send(key, formOf(file(wav(0.96))), headers);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await rejectionOf(key, { 'idempotency-key': 'another' })).toMatchObject({ status: 402, reads: 0 });
  });

  it('counts a request that passes once', async () => {
    const key = await service.open(CREDIT, { rpm: 100 });
    const leftAfter = async (form: Buffer) => {
      await send(key, form);
      return (await keyState(service.ledger, key.keyId)).requestsLeft;
    };
    expect(await leftAfter(formOf(file(audio)))).toBe(99);
    expect(await leftAfter(formOf(field('a', '1')))).toBe(98);
  });
});

describe('a file with a false duration in its header', () => {
  /** 3 MB that say they last a second. */
  const lie = Buffer.concat([flac(1), Buffer.alloc(3_000_000)]);

  it('holds the price of the maximum duration of its bytes, and costs no more if the route reports more', async () => {
    const key = await service.open(CREDIT);
    let heldAmount = 0n;
    service.respond = async () => {
      heldAmount = (await walletOf(key)).holds.reduce((sum, { amount }) => sum + amount, 0n);
      return { text: 'words', duration: 5_000 };
    };
    const response = await send(key, formOf(file(lie, 'lie.flac')));
    expect(heldAmount).toBe(priceOf((lie.length * 8) / 6_000));
    expect(costOf(response)).toBe(priceOf((lie.length * 8) / 6_000));
    expect(await walletOf(key)).toMatchObject({ balance: CREDIT - costOf(response), holds: [] });
  });

  it('costs the price of the duration that the route measured within that limit', async () => {
    const key = await service.open(CREDIT);
    service.respond = async () => ({ text: 'words', duration: 1_400 });
    expect(costOf(await send(key, formOf(file(lie, 'lie.flac'))))).toBe(priceOf(1_400));
  });
});

it.each([
  ['the seconds that the route returned', { text: '', duration: 0.05 }, 0.05],
  ['what it can last at most where the route returned more', { text: '', duration: 6 }, 1.048],
  ['its own length where the route returned none', { text: ' ' }, 0.048],
  ['its own length where the route returned 0', { text: '', duration: 0 }, 0.048],
])('a transcript without a word is billed for %s', async (_name, response, seconds) => {
  const key = await service.open(CREDIT);
  service.respond = async () => response;
  expect(costOf(await send(key, formOf(file(audio))))).toBe(priceOf(seconds));
});

const FORMS = rounds(500);

it('randomly changed forms cause no internal error, do not hang, and leave no hold and no upload', async () => {
  const key = await service.open(CREDIT);
  const statuses = new Map<number, number>();
  let paid = 0n;
  await forEach(mutatedForms(FORMS), async ({ body }) => {
    const response = await service.post(key, body, TYPE);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    await response.arrayBuffer();
    if (response.status === 200) paid += costOf(response);
  });
  expect([...statuses.keys()].sort()).toEqual([200, 400]);
  // Both kinds are there, so that the check can fail either way.
  expect(statuses.get(200)).toBeGreaterThan(FORMS / 50);
  expect(statuses.get(400)).toBeGreaterThan(FORMS / 4);
  expect(service.errors).toEqual([]);
  expect(await walletOf(key)).toMatchObject({ balance: CREDIT - paid, holds: [] });
  expect(openUploads()).toBe(0);
}, 600_000);
