/** What the audit of one account reads, in DynamoDB's read units, by the parts of its wallet and its new records. */
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { encodeTime } from 'ulid';
import { type Item, map, number, text } from '../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { encodeRecord } from '../../../lambdas/adapters/ledger/usage-store.ts';
import { requireVariable } from '../../../lambdas/contract/environment.ts';
import { TABLES } from '../../../lambdas/contract/tables.ts';
import type { Figure } from '../../harness/report.ts';
import { auditOf } from '../../harness/service/account.ts';
import { type Database, openDatabase } from '../../harness/service/database.ts';

const DAY_SECONDS = 86_400;
const COST = 10n;

/** Yesterday's noon or earlier, so that its day is closed. */
const closedSeconds = (): number => (Math.floor(Date.now() / 1000 / DAY_SECONDS) - 2) * DAY_SECONDS + 43_200;

interface Fixture {
  readonly parts: number;
  readonly records: number;
}

type Write = (table: keyof typeof TABLES, item: Item) => Promise<unknown>;

const put =
  (client: DynamoDBClient, { environment }: Database): Write =>
  (table, item) =>
    client.send(
      new PutItemCommand({ TableName: requireVariable(environment, TABLES[table].variable), Item: item }),
    );

/** An account with calls of one day, in the ledger's own items. */
async function openAccount(write: Write, accountId: string, { parts, records }: Fixture): Promise<void> {
  const [spent, created, keyId] = [COST * BigInt(records), closedSeconds(), `key_${accountId}`];
  const day = Math.floor(created / DAY_SECONDS);
  const credit = spent + BigInt(parts);
  await write('accounts', { account_id: text(accountId), item: text('top_up#1'), amount: number(credit) });
  await write('keys', { key_id: text(keyId), account_id: text(accountId) });
  for (let part = 0; part < parts; part += 1) {
    const isFirst = part === 0;
    await write('wallets', {
      wallet_id: text(isFirst ? accountId : `${accountId}#${part}`),
      balance: number(1),
      holds: map({}),
      received: number(isFirst ? spent + 1n : 1n),
      spent: number(isFirst ? spent : 0),
      ...(isFirst ? { parts: number(parts) } : {}),
      ...(isFirst && records > 0 ? { [`spent_${day}`]: number(spent) } : {}),
    });
  }
  for (let at = 0; at < records; at += 1)
    await write(
      'usage',
      encodeRecord({
        id: `req_${encodeTime(created * 1000, 10)}${String(at).padStart(16, '0')}`,
        keyId,
        accountId,
        created,
        model: 'anthropic/claude-sonnet-4.5',
        kind: 'chat',
        inputUnits: 1200,
        cachedUnits: 0,
        outputUnits: 300,
        unit: 'token',
        cost: COST,
        estimated: false,
        route: 'anthropic-messages',
        status: 'completed',
      }),
    );
}

interface Answer {
  readonly ConsumedCapacity?:
    | { readonly CapacityUnits?: number }
    | readonly { readonly CapacityUnits?: number }[];
}

/** Counts the read units of everything that passes through a client. */
function watchReads(client: DynamoDBClient): () => number {
  let units = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        const input = Object.assign({ ...request.input }, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next({ ...request, input: input as typeof request.input });
        const { ConsumedCapacity: consumed } = answer.output as Answer;
        if (/^(Get|BatchGet|Query)/.test(commandName))
          for (const each of [consumed ?? []].flat()) units += each.CapacityUnits ?? Number.NaN;
        return answer;
      },
    { step: 'initialize', name: 'reads' },
  );
  return () => {
    const taken = units;
    units = 0;
    return taken;
  };
}

const FIXTURES: readonly (Fixture & { readonly name: string; readonly most: number })[] = [
  { name: 'an idle account of 1 part', parts: 1, records: 0, most: 7 },
  { name: 'an account of 64 parts', parts: 64, records: 0, most: 200 },
  { name: 'an account of 1 part with 1,000 new records of a day', parts: 1, records: 1000, most: 100 },
];

export async function measureReads(): Promise<readonly Figure[]> {
  const database = await openDatabase({ inMemory: true });
  try {
    const figures: Figure[] = [];
    const clients = database.connect();
    const write = put(clients.client, database);
    const watched = database.connect();
    const taken = watchReads(watched.client);
    for (const { name, most, ...fixture } of FIXTURES) {
      const accountId = `acc_${fixture.parts}_${fixture.records}`;
      await openAccount(write, accountId, fixture);
      for (const night of ['first night', 'a night later'] as const) {
        const { drift, unproven } = await auditOf(watched, database.environment, accountId);
        const units = taken();
        figures.push({
          name: `${name}, ${night}`,
          value: drift === 0n && unproven === 0 ? units : Number.NaN,
          unit: 'read units',
          most,
        });
      }
    }
    return figures;
  } finally {
    await database.close();
  }
}
