/** What a fresh local service starts with: a catalog, and a demo account with a key and 10 credits. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NANO_PER_USD } from '../../lambdas/core/money.ts';
import type { Log } from '../../lambdas/core/ports.ts';
import { createOperator, type Operator } from '../../operator/operator.ts';
import { localTarget } from '../../operator/target.ts';

/** Credits of the demo account. */
const DEMO_CREDITS = 10n;

/** Where the demo account and the catalog are put, and where they come from. */
export interface SeedTarget {
  /** Names of tables and secrets by the functions' own variables. */
  readonly environment: Record<string, string>;
  /** Answers AWS calls; the access key id `local-admin` may do everything. */
  readonly awsEndpoint: string;
  /** The simulated upstream. */
  readonly upstreamUrl: string;
  /** The user's own catalog, if one is named. */
  readonly catalogFile: string | undefined;
  readonly stateDir: string;
}

interface Seed {
  readonly api_key: string;
  /** Version of the default catalog that was applied; a catalog that an operator applied is left alone. */
  readonly default_catalog?: string;
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Seeds what is missing; safe to run at every start. */
export async function seed(target: SeedTarget): Promise<{ apiKey: string; sessionToken: string }> {
  const operator = createOperator(localTarget(target.awsEndpoint, target.environment), silent);
  try {
    const file = join(target.stateDir, 'seed.json');
    const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Seed) : undefined;
    const catalog = await seedCatalog(operator, target, before?.default_catalog);
    const apiKey = before?.api_key ?? (await openDemoAccount(operator));
    const after: Seed = { api_key: apiKey, ...(catalog === undefined ? {} : { default_catalog: catalog }) };
    writeFileSync(file, JSON.stringify(after), { mode: 0o600 });
    return { apiKey, sessionToken: await demoSession(operator, apiKey) };
  } finally {
    operator.close();
  }
}

async function openDemoAccount(operator: Operator): Promise<string> {
  const accountId = await operator.openAccount();
  await operator.grant(accountId, DEMO_CREDITS * NANO_PER_USD);
  const { key } = await operator.createKey(accountId, 'demo', {});
  return key;
}

/** A fresh session at every start: one lasts a day. */
async function demoSession(operator: Operator, apiKey: string): Promise<string> {
  const accountId = await operator.accountOf(apiKey);
  if (accountId === undefined) throw new Error('the demo key is not of this state folder');
  return operator.issueSession(accountId);
}

/** A named catalog is applied at every start; the default one only while nobody has applied another. */
async function seedCatalog(
  operator: Operator,
  { catalogFile, upstreamUrl, awsEndpoint }: SeedTarget,
  seeded: string | undefined,
): Promise<string | undefined> {
  if (catalogFile !== undefined) {
    await operator.applyCatalog(readCatalogFile(catalogFile));
    return undefined;
  }
  const current = await operator.catalog();
  if (current !== undefined && current.version !== seeded) return undefined;
  const text = readFileSync(join(import.meta.dirname, 'catalog.json'), 'utf8');
  return operator.applyCatalog(
    text.replaceAll('{UPSTREAM_URL}', upstreamUrl).replaceAll('{AWS_URL}', awsEndpoint),
  );
}

function readCatalogFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`CATALOG: cannot read ${file}`, { cause });
  }
}
