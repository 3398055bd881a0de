/**
 * The environment of a bench of the shared host: upstream, database, secrets, accounts, and the program as deployed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditOf, type BenchAccount, openAccount } from '../harness/service/account.ts';
import { applyCatalog, catalogOf } from '../harness/service/bench-catalog.ts';
import { type Database, openDatabase } from '../harness/service/database.ts';
import { startBenchUpstream } from '../harness/upstream/process.ts';
import { bundleHost } from './bundle.ts';
import { type HostProcess, startHost, startSecrets } from './process.ts';

/** Calls at once come from several customers. */
const ACCOUNTS = 8;

export interface Stage {
  readonly database: Database;
  readonly accounts: readonly BenchAccount[];
  /** `secretsMs`: how long the reading of a secret takes. */
  start(overrides?: Readonly<Record<string, string>>, secretsMs?: number): Promise<HostProcess>;
  /** Returns the drift of the ledgers of all accounts, their open holds and their charges, in nano-USD. */
  totals(): Promise<{ readonly off: bigint; readonly held: bigint; readonly usage: bigint }>;
  close(): Promise<void>;
}

/** The catalog has a model for each of the upstream's names of an answer. */
export async function openStage(upstreams: readonly string[]): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-host-'));
  const [upstream, database] = [await startBenchUpstream(), await openDatabase({ inMemory: true })];
  const secrets: Awaited<ReturnType<typeof startSecrets>>[] = [];
  const clients = database.connect();
  await bundleHost(folder, { money: true });
  await applyCatalog(database, catalogOf(upstream.url, upstreams));
  const accounts: BenchAccount[] = [];
  for (let account = 0; account < ACCOUNTS; account += 1)
    accounts.push(await openAccount(clients, database.environment));
  return {
    database,
    accounts,
    async start(overrides = {}, secretsMs = 0) {
      const reader = await startSecrets(secretsMs);
      secrets.push(reader);
      return startHost({ database, folder, secretsUrl: reader.url, overrides });
    },
    async totals() {
      let [off, held, usage] = [0n, 0n, 0n];
      for (const { accountId } of accounts) {
        const totals = await auditOf(clients, database.environment, accountId);
        off += totals.drift < 0n ? -totals.drift : totals.drift;
        held += totals.held;
        usage += totals.usage;
      }
      return { off, held, usage };
    },
    async close() {
      for (const reader of secrets) reader.close();
      await database.close();
      await upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
