import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { formatKey } from '../../lambdas/access/core/keys/api-key.ts';
import { DynamoReplayStore } from '../../lambdas/inference/store/replay-store.ts';
import {
  ledgerOf,
  openAccount,
  openLedger,
  secretOf,
  type TestAccount,
} from '../../lambdas/ledger/testing/running-ledger.ts';
import { splitWallet } from '../../lambdas/ledger/testing/split-wallet.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import {
  type DatabaseError,
  type DatabaseRequest,
  startTroubledDatabase,
  type Trouble,
  type TroubledDatabase,
  type TroublePlan,
} from '../../tools/test-kit/troubled-database.ts';
import { PEPPERS, type Service, startService } from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

const CREDIT = 1_000_000_000n;

const error = (type: string, status = 400, members = {}): DatabaseError => ({ status, type, members });

const CONFLICT = { CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }] };

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'a throttle': error('ThrottlingException'),
  'the throughput of its table': error('ProvisionedThroughputExceededException'),
  'the quota of the account': error('RequestLimitExceeded'),
  'a transaction on the item': error('TransactionConflictException'),
  'a failure of its own': error('InternalServerError', 500),
  'being unavailable': error('ServiceUnavailable', 503),
  'no answer, before it did anything': 'hang',
  'no answer, after it did all': 'lost',
  'a closed connection': 'reset',
};

/** Many calls at once wait for their responses on a busy machine. */
const REQUEST_MS = 1_500;

let engine: TestDatabase;
let database: TroubledDatabase;
let service: Service;

/** The plan of each account. */
const plans = new Map<TestAccount, TroublePlan>();

beforeAll(async () => {
  engine = await startDatabase();
  database = await startTroubledDatabase(
    engine.endpoint,
    (request) => {
      const requestText = JSON.stringify(request.body);
      const concerned = [...plans].find(([{ accountId, keys }]) =>
        [accountId, keys[0].keyId].some((id) => requestText.includes(id)),
      );
      return concerned?.[1](request);
    },
    REQUEST_MS,
  );
  const store = new DynamoReplayStore(database.client, engine.tables.replays);
  service = await startService(
    { ...openLedger({ clients: database, clock: systemClock }), store },
    new Wire(1),
  );
});
afterAll(async () => {
  await service.stop();
  await database.stop();
  await engine.stop();
});

const isHold = ({ body }: DatabaseRequest): boolean =>
  body.UpdateExpression?.includes('SET holds.#entry') === true;
const isCharge = ({ body }: DatabaseRequest): boolean =>
  body.UpdateExpression?.includes(', rpm) - :r') === true;

async function chat({ accountId, keys: [{ keyId }] }: TestAccount) {
  const credential = formatKey({ accountId, keyId, secret: secretOf(keyId) }, PEPPERS);
  const response = await service.send('chat', {
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/openai',
      max_tokens: 8,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as object };
}

type ChatResult = Awaited<ReturnType<typeof chat>>;

function expectOverloaded({ status, headers, body }: ChatResult): void {
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { error: { type: 'service_unavailable', code: 'overloaded', param: null } },
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Nothing is held and nothing was charged. */
async function expectNothingHeld(account: TestAccount): Promise<void> {
  const { wallet, records, audit } = await ledgerOf(engine.client, account);
  expect(wallet).toMatchObject({ balance: CREDIT, holds: [] });
  expect(records.map(({ cost }) => cost)).toEqual(records.map(() => 0n));
  expect(audit).toMatchObject({ exact: true, held: 0n });
}

/** The answer to an update whose item another writer changed just before; the item itself is as it was. */
async function failedCondition({ body: { TableName, Key } }: DatabaseRequest): Promise<DatabaseError> {
  const { Item } = await engine.client.send(new GetItemCommand({ TableName, Key: Key as never }));
  return error('ConditionalCheckFailedException', 400, { Item });
}

/** A call of a new account under a plan of its own; the account and its answer, the database whole again. */
async function chatUnder(plan: TroublePlan, shards = 1) {
  const account = await openAccount(engine.client, CREDIT, {});
  await splitWallet(engine, account.accountId, Array(shards - 1).fill(CREDIT / 8n));
  plans.set(account, plan);
  const response = await chat(account);
  plans.delete(account);
  return { account, answer: response };
}

it.each([
  ['its hold', isHold],
  ['the charge of its key', isCharge],
])('a chat call ends with 503, whatever error the database returns for %s', async (_name, hits) => {
  const calls = Object.entries(TROUBLES).map(async ([name, trouble]) => {
    const { account, answer } = await chatUnder((request) => (hits(request) ? trouble : undefined));
    expectOverloaded(answer);
    await expectNothingHeld(account);
    expect([name, (await chat(account)).status]).toEqual([name, 200]);
  });
  await Promise.all(calls);
});

it('a chat call ends with 503 while other writers keep changing its wallet in several shards', async () => {
  let holds = 0;
  const { account, answer } = await chatUnder(async (request) => {
    if (request.operation === 'TransactWriteItems') {
      return error('TransactionCanceledException', 400, CONFLICT);
    }
    if (!isHold(request)) return undefined;
    holds += 1;
    return failedCondition(request);
  }, 3);
  expectOverloaded(answer);
  expect(holds).toBeGreaterThan(2);
  await expectNothingHeld(account);
});
