/** The environment of a bench of the shared host: upstream, database, settings, accounts, and the program as deployed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoopbackServer } from '../../simulators/loopback-server.ts';
import { type Database, openDatabase } from '../../test-kit/database.ts';
import type { LoadRequest } from '../harness/load/call.ts';
import { bodyOf, type Case, endOf, PATHS, UPSTREAM_MODELS } from '../harness/load/cases.ts';
import type { ServiceProcess } from '../harness/process.ts';
import { auditOf, type BenchAccount, openAccount } from '../harness/service/account.ts';
import { applyCatalog, catalogModel, catalogOf } from '../harness/service/bench-catalog.ts';
import { type BenchUpstream, startBenchUpstream } from '../harness/upstream/process.ts';
import { bundleHost } from './bundle.ts';
import { startHost, startSettings } from './process.ts';

/** Calls at once come from several customers; what one wallet bears is a bench of its own. */
const ACCOUNTS = 8;

interface StageStart {
  readonly overrides?: Readonly<Record<string, string>>;
  /** False starts the host whose ledger grants everything and writes nothing. */
  readonly money?: boolean;
}

export interface Stage {
  readonly upstream: BenchUpstream;
  readonly database: Database;
  readonly accounts: readonly BenchAccount[];
  start(options?: StageStart): Promise<ServiceProcess>;
  /** Returns the drift of the ledgers of all accounts, their open holds and their charges, in nano-USD. */
  totals(): Promise<{ readonly off: bigint; readonly held: bigint; readonly usage: bigint }>;
  close(): Promise<void>;
}

/** The catalog has a model for each answer of the cases, and for the upstream's other names of answers. */
export async function openStage(...others: readonly string[]): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-host-'));
  const [upstream, database] = [await startBenchUpstream(), await openDatabase()];
  const { environment } = database;
  const clients = database.connect();
  const settings: LoopbackServer[] = [];
  const folderOf = (money: boolean) => join(folder, money ? 'money' : 'no-money');
  const accounts: BenchAccount[] = [];
  const stage: Stage = {
    upstream,
    database,
    accounts,
    async start({ overrides = {}, money = true } = {}) {
      const reader = await startSettings();
      settings.push(reader);
      return startHost({ database, folder: folderOf(money), settingsUrl: reader.url, overrides });
    },
    async totals() {
      let [off, held, usage] = [0n, 0n, 0n];
      for (const { accountId } of accounts) {
        const totals = await auditOf(clients, environment, accountId);
        off += totals.drift;
        held += totals.held;
        usage += totals.usage;
      }
      return { off, held, usage };
    },
    async close() {
      for (const reader of settings) await reader.stop();
      await database.close();
      await upstream.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    for (const money of [true, false]) await bundleHost(folderOf(money), { money });
    await applyCatalog(database, catalogOf(upstream.url, [...UPSTREAM_MODELS, ...others]));
    while (accounts.length < ACCOUNTS) accounts.push(await openAccount(clients, environment));
    return stage;
  } catch (failure) {
    await stage.close();
    throw failure;
  }
}

/** A call of the case on the host's catalog, answered by the upstream's model of that name. */
export const hostRequest = (testCase: Case, upstream: string, { credential }: BenchAccount): LoadRequest => ({
  path: PATHS[testCase.surface],
  headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
  body: bodyOf(testCase, catalogModel(testCase.protocol, upstream)),
  end: endOf(testCase),
});
