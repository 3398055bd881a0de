/** A local service whose processes are sampled, with accounts that call it and the operator who opened them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TABLES } from '../../../lambdas/platform/contract/tables.ts';
import { NANO_PER_USD } from '../../../lambdas/platform/core/money.ts';
import { createOperator, type Operator } from '../../../operator/operator.ts';
import { readLocalTarget } from '../../../operator/target.ts';
import { startService } from '../../local/service.ts';
import { readSettings, SIMULATED_CATALOG } from '../../local/settings.ts';
import { SILENT, UNLIMITED } from '../harness/service/account.ts';
import { SampledProcesses, samplerVariables } from './processes.ts';

export type Compute = 'host' | 'functions';

/** Keys that make calls; the owner's are created and revoked. */
const ACCOUNTS = 8;

/** Longer than any call: what a failed settlement has left open is recovered after it. */
export const HOLD_TTL_SECONDS = 120;

const CREDIT = 10_000n * NANO_PER_USD;

/** The models whose routes fail, by what the upstream's name of each has it do. */
export const FAILING_MODELS = [
  'fail-500',
  'fail-429',
  'cut-3',
  'garbage',
  'hang',
  'slow-first-1500',
] as const;

export const failingModel = (upstream: string): string => `soak/${upstream}`;

/** A route that does not answer within it has failed. */
const TIMEOUT_MS = 1_000;

export interface SoakService {
  readonly compute: Compute;
  readonly url: string;
  /** The session of the owner. */
  readonly session: string;
  /** The session of another owner, who creates ever more keys: what an owner reads takes longer with each. */
  readonly keySession: string;
  readonly keys: readonly string[];
  readonly operator: Operator;
  readonly processes: SampledProcesses;
  /** The bytes of all items, and the records of usage among them. */
  stored(): { readonly bytes: number; readonly records: number };
  close(): Promise<void>;
}

/** The simulated catalog, and models whose routes fail. */
function catalogText(): string {
  const catalog = JSON.parse(readFileSync(SIMULATED_CATALOG, 'utf8'));
  const [chat] = catalog.models;
  const failing = FAILING_MODELS.map((upstream) => ({
    ...chat,
    id: failingModel(upstream),
    routes: [
      {
        ...chat.routes[0],
        id: `soak-${upstream}`,
        upstream_model: upstream,
        timeout_ms: 2 * TIMEOUT_MS,
        first_byte_timeout_ms: TIMEOUT_MS,
      },
    ],
  }));
  return JSON.stringify({ ...catalog, models: [...catalog.models, ...failing] });
}

export async function startSoaked(compute: Compute, folder: string): Promise<SoakService> {
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const catalog = join(folder, 'catalog.json');
  writeFileSync(catalog, catalogText());
  const processes = new SampledProcesses(join(folder, 'samples'));
  const settings = readSettings({
    PORT: '0',
    LOCAL_DIR: stateDir,
    CATALOG: catalog,
    COMPUTE: compute,
    IP_RPM: '0',
    DEMO_HISTORY_DAYS: '0',
    WEBHOOK_ALLOW_LOOPBACK: '1',
    HOLD_TTL_SECONDS: String(HOLD_TTL_SECONDS),
  });
  const service = await startService({
    settings: { ...settings, overrides: { ...settings.overrides, ...samplerVariables(processes.folder) } },
    environment: process.env,
    log: () => {},
  });
  const target = readLocalTarget(stateDir);
  const operator = createOperator(target, SILENT);
  const database = new DatabaseSync(join(stateDir, 'dynamodb.sqlite'), { readOnly: true });
  const keys: string[] = [];
  const demo = await operator.customers.keyOf(service.session.api_key);
  if (demo === undefined) throw new Error('there is no demo key');
  await operator.grant(demo.key.accountId, CREDIT);
  const openAccount = async () => {
    const accountId = await operator.openAccount();
    await operator.grant(accountId, CREDIT);
    return accountId;
  };
  while (keys.length < ACCOUNTS) {
    const accountId = await openAccount();
    keys.push((await operator.createKey(accountId, 'soak', UNLIMITED)).key);
  }
  return {
    compute,
    url: service.session.base_url,
    session: service.session.session_token,
    keySession: await operator.issueSession(await openAccount()),
    keys,
    operator,
    processes,
    stored: () => storedIn(database, target.environment[TABLES.usage.variable] ?? ''),
    async close() {
      database.close();
      operator.close();
      await service.close();
    },
  };
}

/** The engine keeps the size of each item, as DynamoDB counts it. */
function storedIn(database: DatabaseSync, usageTable: string): { bytes: number; records: number } {
  const sizeOf = (table: string) =>
    database
      .prepare(`SELECT COUNT(*) AS items, COALESCE(SUM(item_size), 0) AS bytes FROM "${table}"`)
      .get() as {
      readonly items: number;
      readonly bytes: number;
    };
  const tables = database.prepare('SELECT table_name FROM _tables').all() as {
    readonly table_name: string;
  }[];
  const bytes = tables.reduce((sum, { table_name: table }) => sum + sizeOf(table).bytes, 0);
  return { bytes, records: sizeOf(usageTable).items };
}
