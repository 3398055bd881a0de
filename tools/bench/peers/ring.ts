/** Everything that a comparison needs, started and stopped as one: upstream, database, accounts and contestants. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchAccount, openAccount } from '../harness/service/account.ts';
import { applyCatalog, catalogOf } from '../harness/service/bench-catalog.ts';
import { type Database, openDatabase } from '../harness/service/database.ts';
import { type BenchUpstream, startBenchUpstream } from '../harness/upstream/process.ts';
import { bundleHost } from '../host/bundle.ts';
import { startSecrets } from '../host/process.ts';
import { bareContestant } from './bare.ts';
import type { Contestant } from './contestant.ts';
import { LITELLM, liteLlmContestant } from './litellm.ts';
import { OURS, OURS_WITHOUT_MONEY, ourContestant } from './ours.ts';
import { PORTKEY, portkeyContestant } from './portkey.ts';

/** Calls at once come from several customers; what one wallet bears is a bench of its own. */
const ACCOUNTS = 8;

export interface Ring {
  readonly upstream: BenchUpstream;
  readonly database: Database;
  readonly contestants: readonly Contestant[];
  /** The accounts that pay for our own side's calls. */
  readonly accountIds: readonly string[];
  close(): Promise<void>;
}

export async function openRing(): Promise<Ring> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  const upstream = await startBenchUpstream();
  const database = await openDatabase({ inMemory: true });
  const secrets = await startSecrets();
  const close = async () => {
    secrets.close();
    await database.close();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await applyCatalog(database, catalogOf(upstream.url));
    const clients = database.connect();
    const accounts: BenchAccount[] = [];
    for (let account = 0; account < ACCOUNTS; account += 1)
      accounts.push(await openAccount(clients, database.environment));
    const credentials = accounts.map(({ credential }) => credential);
    const ours = async (name: string, money: boolean) => {
      const bundles = join(folder, money ? 'money' : 'no-money');
      await bundleHost(bundles, { money });
      return ourContestant({ name, credentials, database, folder: bundles, secretsUrl: secrets.url });
    };
    const contestants = [
      bareContestant(upstream),
      await ours(OURS, true),
      await ours(OURS_WITHOUT_MONEY, false),
      ...installable(PORTKEY, () => portkeyContestant(upstream.url)),
      ...installable(LITELLM, () => liteLlmContestant(upstream.url)),
    ];
    const accountIds = accounts.map(({ accountId }) => accountId);
    return { upstream, database, contestants, accountIds, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** The contestant, or none and a loud line when it cannot be had here. */
function installable(name: string, make: () => Contestant): Contestant[] {
  try {
    return [make()];
  } catch (failure) {
    const { stderr, message } = failure as { stderr?: Buffer; message: string };
    const reason =
      String(stderr ?? '')
        .trim()
        .split('\n')
        .at(-1) || message;
    console.error(`SKIPPED: ${name}, because it cannot be installed here.\n${reason}`);
    return [];
  }
}
