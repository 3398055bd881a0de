/** Whether a call costs more when the catalog is long, and when its account has many keys. */

import { createKeyIssuer } from '../../lambdas/adapters/access/create-accounts.ts';
import { upstreamModel } from '../harness/load/cases.ts';
import type { Figure } from '../harness/report.ts';
import { openAccount, PEPPERS, UNLIMITED } from '../harness/service/account.ts';
import { applyCatalog, catalogModel, catalogOf } from '../harness/service/bench-catalog.ts';
import { callChat, composeChat } from '../harness/service/chat.ts';
import { type Database, openDatabase } from '../harness/service/database.ts';
import { wholeAnswer } from '../harness/upstream/answers.ts';
import { type Kind, measureBlocks, middleOf, ratioOf } from './blocks.ts';

const MODELS = [10, 1_000, 10_000] as const;
const KEYS = [1, 10, 100] as const;

/** The design's bound: no figure of the hot path may change by more. */
const MOST_CHANGE = 1.05;

const BLOCKS = { rounds: 15, calls: 40, warmUp: 4 };

/** What the bare catalog has already. */
const OWN_MODELS = JSON.parse(catalogOf('http://127.0.0.1:9')).models.length as number;

const ANSWER = wholeAnswer('openai', 20);
const answer = async () => new Response(ANSWER, { headers: { 'content-type': 'application/json' } });

const BODY = {
  model: catalogModel('openai', upstreamModel(0)),
  max_tokens: 64,
  messages: [{ role: 'user', content: 'What does a gateway do between a caller and its models?' }],
};

const callerOf = (database: Database, credential: string): (() => Promise<unknown>) => {
  const { environment } = database;
  const handler = composeChat({ clients: database.connect(), environment, fetch: answer });
  return async () => (await callChat(handler, { credential, body: BODY })).text();
};

export async function measureCatalogs(): Promise<Figure[]> {
  const databases: Database[] = [];
  try {
    const kinds: Kind[] = [];
    for (const models of MODELS) {
      const database = await openDatabase({ inMemory: true });
      databases.push(database);
      await applyCatalog(database, catalogOf('http://127.0.0.1:9', { fillers: models - OWN_MODELS }));
      const { credential } = await openAccount(database.connect(), database.environment);
      kinds.push({ name: `catalog of ${models} models`, work: callerOf(database, credential) });
    }
    return await compared(kinds, { goal: true });
  } finally {
    for (const database of databases) await database.close();
  }
}

export async function measureKeys(): Promise<Figure[]> {
  const database = await openDatabase({ inMemory: true });
  try {
    await applyCatalog(database, catalogOf('http://127.0.0.1:9'));
    const clients = database.connect();
    const { environment } = database;
    const issuer = createKeyIssuer({ clients, environment, peppers: async () => PEPPERS });
    const kinds: Kind[] = [];
    for (const keys of KEYS) {
      const { accountId, credential } = await openAccount(clients, environment);
      for (let more = 1; more < keys; more += 1) await issuer.create(accountId, `more ${more}`, UNLIMITED);
      kinds.push({ name: `account of ${keys} keys`, work: callerOf(database, credential) });
    }
    return await compared(kinds, {});
  } finally {
    await database.close();
  }
}

/** Each kind beside the first. */
async function compared(kinds: readonly Kind[], aim: Pick<Figure, 'goal'>): Promise<Figure[]> {
  const rounds = await measureBlocks(kinds, BLOCKS);
  const first = kinds[0]?.name ?? '';
  const bound = aim.goal === true ? { most: MOST_CHANGE, goal: true as const } : {};
  return kinds.flatMap(({ name }): Figure[] => [
    { name: `${name}: CPU a call`, value: middleOf(rounds, name, 'cpuMs'), unit: 'ms' },
    { name: `${name}: a call`, value: middleOf(rounds, name, 'ms'), unit: 'ms' },
    ...(name === first
      ? []
      : (['cpuMs', 'ms'] as const).map((measure) => ({
          name: `${name}: ${measure === 'cpuMs' ? 'CPU' : 'time'} a call`,
          value: ratioOf(rounds, [name, first], measure),
          unit: `of the ${first}`,
          ...bound,
        }))),
  ]);
}
