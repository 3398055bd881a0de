/** The initial content of a fresh local service: a catalog, and a demo account with a key and 10 credits. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeTime } from 'ulid';
import { createKeyRegistry } from '../../../lambdas/access/store/create-accounts.ts';
import { parseCatalog } from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import { createLedger } from '../../../lambdas/ledger/store/create-ledger.ts';
import { DynamoCreditStore } from '../../../lambdas/ledger/store/credit-store.ts';
import { createDynamoClients } from '../../../lambdas/platform/aws/clients.ts';
import { DEFAULT_HOLD_TTL_SECONDS, VARIABLES } from '../../../lambdas/platform/contract/environment.ts';
import { requireTable } from '../../../lambdas/platform/contract/tables.ts';
import { QUOTAS } from '../../../lambdas/platform/core/api/quotas.ts';
import { NANO_PER_USD } from '../../../lambdas/platform/core/money.ts';
import type { Log } from '../../../lambdas/platform/core/ports.ts';
import { systemClock } from '../../../lambdas/platform/system/system.ts';
import { createOperator, type Operator } from '../../../operator/operator.ts';
import { localTarget } from '../../../operator/target.ts';
import { DEMO_EMAIL, subjectOf } from '../../simulators/identity/provider.ts';
import { type Settings, SIMULATED_CATALOG } from '../settings.ts';
import { type PastCall, pastCalls, pastKeyId, settlePast } from './history.ts';

/** Credits of the demo account. */
const DEMO_CREDITS = 10n;

/** The target of the demo account and the catalog, and their sources. */
export interface SeedTarget extends Pick<Settings, 'catalogFile' | 'historyDays' | 'layouts' | 'stateDir'> {
  /** Names of tables and secrets by the functions' own variables. */
  readonly environment: Record<string, string>;
  /** Answers AWS calls; the access key id `local-admin` may do everything. */
  readonly awsEndpoint: string;
  /** The simulated upstream. */
  readonly upstreamUrl: string;
  /** The local identity provider, if it runs: its proposed address signs in to the demo account. */
  readonly identityIssuer: string | undefined;
}

/** The facts about the catalog that a start prints. */
export interface CatalogInForce {
  readonly version: string;
  readonly isSimulated: boolean;
  /** The default model of chat calls, or the first; undefined if the catalog has none. */
  readonly chatModel: { readonly id: string; readonly canStream: boolean } | undefined;
  /** The environment variables that hold secrets of its routes. */
  readonly variables: readonly string[];
}

export interface SeededService {
  readonly apiKey: string;
  readonly sessionToken: string;
  readonly catalog: CatalogInForce;
}

interface Seed {
  readonly api_key: string;
  /** Version of the default catalog that was applied; a catalog that an operator applied is left alone. */
  readonly default_catalog?: string;
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Seeds what is missing; safe to run at every start. */
export async function seed(target: SeedTarget): Promise<SeededService> {
  const operator = createOperator(localTarget(target.awsEndpoint, target.environment), silent);
  try {
    const file = join(target.stateDir, 'seed.json');
    const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Seed) : undefined;
    if (before === undefined && target.layouts === 'first') await operator.layouts.beginUnfinished();
    const catalog = await seedCatalog(operator, target, before?.default_catalog);
    const apiKey = before?.api_key ?? (await openDemoAccount(operator, target, catalog));
    const after: Seed = { api_key: apiKey, ...(catalog === undefined ? {} : { default_catalog: catalog }) };
    writeFileSync(file, JSON.stringify(after), { mode: 0o600 });
    const sessionToken = await demoSession(operator, apiKey, target.identityIssuer);
    return { apiKey, sessionToken, catalog: await catalogInForce(operator, catalog !== undefined) };
  } finally {
    operator.close();
  }
}

async function catalogInForce(operator: Operator, isSimulated: boolean): Promise<CatalogInForce> {
  const stored = await operator.catalog();
  if (stored === undefined) throw new Error('no catalog is in force');
  const { models, defaults } = parseCatalog(JSON.parse(stored.json));
  const chatModel = models.find(({ id, aliases, type }) =>
    defaults.chat === undefined ? type === 'chat' : [id, ...aliases].includes(defaults.chat),
  );
  const secrets = models.flatMap(({ routes }) => routes.map(({ secret }) => secret ?? ''));
  return {
    version: stored.version,
    isSimulated,
    chatModel: chatModel && {
      id: chatModel.id,
      canStream: chatModel.routes.some(({ capabilities }) => capabilities.includes('stream')),
    },
    variables: [...new Set(secrets.flatMap((secret) => /^env:(.+)$/.exec(secret)?.[1] ?? []))],
  };
}

/** Has its credits after its history, which an earlier grant has paid for, and which names the simulated catalog in force. */
async function openDemoAccount(
  operator: Operator,
  target: SeedTarget,
  catalog: string | undefined,
): Promise<string> {
  const accountId = await operator.openAccount(DEMO_EMAIL);
  const calls = pastCalls(systemClock(), target.historyDays).map((call) =>
    catalog === undefined ? call : { ...call, catalog },
  );
  if (calls.length > 0) await settleHistory(target, accountId, calls);
  await operator.grant(accountId, DEMO_CREDITS * NANO_PER_USD);
  const { key } = await operator.createKey(accountId, 'demo', {});
  return key;
}

/** Settles the calls with a key that was made before them, whose secret nobody has until it is rotated. */
async function settleHistory(
  { awsEndpoint, environment }: SeedTarget,
  accountId: string,
  calls: readonly PastCall[],
): Promise<void> {
  const clients = createDynamoClients(localTarget(awsEndpoint, environment).client);
  const holdEnvironment = { [VARIABLES.holdTtlSeconds]: String(DEFAULT_HOLD_TTL_SECONDS), ...environment };
  const [keyId, secretHash] = [pastKeyId(calls), randomBytes(32).toString('hex')];
  const created = Math.floor(decodeTime(keyId.slice(4)) / 1000);
  try {
    const registry = createKeyRegistry({ clients, environment });
    const key = { keyId, accountId, secretHash, name: 'assistant', policy: {}, created };
    await registry.add(key, QUOTAS.api_keys_per_account);
    const ledger = createLedger({ clients, environment: holdEnvironment, log: silent });
    const tables = {
      accounts: requireTable(environment, 'accounts'),
      wallets: requireTable(environment, 'wallets'),
    };
    const credits = new DynamoCreditStore(clients.client, tables);
    await settlePast({ ...ledger, credits }, { accountId, keyId }, calls);
  } finally {
    clients.client.destroy();
    clients.onceClient.destroy();
  }
}

/** A fresh session at every start: one lasts a day. The issuer may have another port than at the last start. */
async function demoSession(operator: Operator, apiKey: string, issuer: string | undefined): Promise<string> {
  const demo = await operator.customers.keyOf(apiKey);
  if (demo === undefined) throw new Error('the demo key is not of this state folder');
  const { accountId } = demo.key;
  if (issuer !== undefined)
    await operator.bindIdentity(accountId, { issuer, subject: subjectOf(DEMO_EMAIL) });
  return operator.issueSession(accountId);
}

/**
 * A named catalog is applied at every start; the simulated one only while nobody has applied another. Returns the
 * version of the simulated one if it is in force.
 */
async function seedCatalog(
  operator: Operator,
  { catalogFile, upstreamUrl, awsEndpoint }: SeedTarget,
  seeded: string | undefined,
): Promise<string | undefined> {
  if (catalogFile === undefined) {
    const current = await operator.catalog();
    if (current !== undefined && current.version !== seeded) return undefined;
  }
  const file = catalogFile ?? SIMULATED_CATALOG;
  const text = readCatalogFile(file);
  const version = await operator.applyCatalog(
    text.replaceAll('{UPSTREAM_URL}', upstreamUrl).replaceAll('{AWS_URL}', awsEndpoint),
  );
  return file === SIMULATED_CATALOG ? version : undefined;
}

function readCatalogFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`CATALOG: cannot read ${file}`, { cause });
  }
  try {
    JSON.parse(text);
  } catch (failure) {
    throw new Error(`CATALOG: ${file} is not JSON: ${(failure as Error).message}`);
  }
  return text;
}
