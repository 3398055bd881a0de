/**
 * The hosts of a service replaced by those of another version and back, one after another, under calls, on one database.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerOf, openLedger, sweep } from '../../../lambdas/ledger/testing/running-ledger.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import type { LoopbackServer } from '../../simulators/loopback-server.ts';
import { type Database, openDatabase } from '../../test-kit/database.ts';
import { until } from '../../test-kit/waiting.ts';
import { type BenchAccount, openAccount, UNLIMITED } from '../harness/service/account.ts';
import { applyCatalog, catalogOf } from '../harness/service/bench-catalog.ts';
import { type BenchUpstream, startBenchUpstream } from '../harness/upstream/process.ts';
import { startHost, startSettings } from '../host/process.ts';
import { Balancer } from './balancer.ts';
import { Callers, EMBEDDINGS, STREAM, WHOLE } from './callers.ts';
import { type HostVersion, hostProgram } from './programs.ts';

/** A service has as many by default. */
const HOSTS = 2;
const ACCOUNTS = 8;

/** Some 20 calls. */
const CAP: NanoUsd = 300_000n;

/** No call and no lease lasts as long. */
const HOUR_MS = 3_600_000;

/** The end of a replaced host. */
export type HostEnd = 'drain' | 'kill';

export interface RolloutOptions {
  readonly old: HostVersion;
  readonly next: HostVersion;
  /** Each replaces all hosts by hosts of the other version: forward, back, forward, and so on. */
  readonly passes: readonly HostEnd[];
  /** Calls between two changes of the hosts. */
  readonly callsBetween: number;
  /** Numbers in [0, 1). */
  readonly draw: () => number;
}

export interface RolloutResult extends Readonly<Callers['counts']> {
  readonly accounts: number;
  readonly replacedHosts: number;
  /** Calls that were open when their host began to stop. */
  readonly drainedCalls: number;
  readonly failures: readonly string[];
  readonly differences: LedgerDifferences;
}

/** The differences in the ledgers of all accounts. Each must be zero. */
interface LedgerDifferences {
  /** Nano-USD. */
  readonly drift: NanoUsd;
  readonly held: NanoUsd;
  /** Nano-USD above the caps of all keys. */
  readonly overCaps: NanoUsd;
  /** Nano-USD that caps miss although no record has spent them. */
  readonly missingOfCaps: NanoUsd;
  readonly callsWithoutRecord: number;
  /** Besides those of calls that were cut. */
  readonly recordsWithoutCall: number;
}

/** Plays a rollout, and returns what is left of it after a sweep. */
export async function playRollout(options: RolloutOptions): Promise<RolloutResult> {
  const rollout = await Rollout.open(options);
  try {
    return await rollout.play();
  } finally {
    await rollout.close();
  }
}

const modelOfEmbeddings = (upstreamUrl: string) => ({
  id: EMBEDDINGS,
  type: 'embeddings',
  owned_by: 'bench',
  created: 1_760_000_000,
  context_window: 8_192,
  price: { unit: 'per_million_tokens', input: 0.02 },
  routes: [
    {
      id: 'bench-embeddings',
      protocol: 'openai',
      base_url: `${upstreamUrl}/v1`,
      upstream_model: WHOLE,
      secret: 'env:SIM_KEY',
    },
  ],
});

class Rollout {
  readonly #options: RolloutOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'rollout-'));
  readonly #balancer: Balancer;
  readonly #accounts: BenchAccount[] = [];
  readonly #cappedAccounts: BenchAccount[] = [];
  readonly #programs = new Map<HostVersion, string>();
  readonly #upstream: BenchUpstream;
  readonly #database: Database;
  readonly #settings: LoopbackServer;
  #replacedHosts = 0;

  private constructor(
    options: RolloutOptions,
    world: {
      readonly upstream: BenchUpstream;
      readonly database: Database;
      readonly settings: LoopbackServer;
    },
  ) {
    this.#options = options;
    this.#balancer = new Balancer(options.draw);
    this.#upstream = world.upstream;
    this.#database = world.database;
    this.#settings = world.settings;
  }

  static async open(options: RolloutOptions): Promise<Rollout> {
    const [upstream, database, settings] = await Promise.all([
      startBenchUpstream(),
      openDatabase(),
      startSettings(),
    ]);
    const rollout = new Rollout(options, { upstream, database, settings });
    try {
      await rollout.#setUp();
      return rollout;
    } catch (failure) {
      await rollout.close();
      throw failure;
    }
  }

  async #setUp(): Promise<void> {
    const { url } = this.#upstream;
    const catalog = JSON.parse(catalogOf(url, [WHOLE, STREAM]));
    catalog.models.push(modelOfEmbeddings(url));
    await applyCatalog(this.#database, JSON.stringify(catalog));
    const clients = this.#database.connect();
    while (this.#accounts.length < ACCOUNTS)
      this.#accounts.push(await openAccount(clients, this.#database.environment));
    for (const version of [this.#options.old, this.#options.next])
      this.#programs.set(version, await hostProgram(version, this.#folder));
    for (let count = 0; count < HOSTS; count += 1) await this.#start(this.#options.old);
  }

  async play(): Promise<RolloutResult> {
    const { old, next, passes } = this.#options;
    const callers = new Callers({
      balancer: this.#balancer,
      accounts: this.#accounts,
      draw: this.#options.draw,
    });
    try {
      for (const [at, end] of passes.entries()) {
        const [from, to] = at % 2 === 0 ? [old, next] : [next, old];
        await this.#replaceAll(callers, { from, to, end });
      }
    } finally {
      await callers.stop();
    }
    await this.#balancer.close();
    return {
      ...callers.counts,
      accounts: this.#accounts.length + this.#cappedAccounts.length,
      replacedHosts: this.#replacedHosts,
      drainedCalls: this.#balancer.drainedCalls,
      failures: callers.failures,
      differences: await this.#compareLedgers(callers),
    };
  }

  async close(): Promise<void> {
    await this.#balancer.close();
    await this.#database.close();
    await this.#settings.stop();
    await this.#upstream.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(version: HostVersion): Promise<void> {
    const host = await startHost({
      database: this.#database,
      folder: this.#programs.get(version) ?? '',
      settingsUrl: this.#settings.url,
      overrides: { HOST_GRACE_SECONDS: '100' },
    });
    await this.#balancer.add(version, host);
  }

  /** Starts a host of a version for each of the other, which then ends. Another key has a cap in the meantime. */
  async #replaceAll(
    callers: Callers,
    { from, to, end }: { readonly from: HostVersion; readonly to: HostVersion; readonly end: HostEnd },
  ): Promise<void> {
    const { environment } = this.#database;
    callers.capped = await openAccount(this.#database.connect(), environment, {
      ...UNLIMITED,
      monthly_usd: CAP,
    });
    this.#cappedAccounts.push(callers.capped);
    for (let count = 0; count < HOSTS; count += 1) {
      await this.#start(to);
      await this.#moreCalls(callers);
      await this.#balancer[end](from);
      this.#replacedHosts += 1;
      await this.#moreCalls(callers);
    }
    const { overCap } = callers.counts;
    await this.#wait(callers, (counts) => counts.overCap > overCap);
  }

  async #moreCalls(callers: Callers): Promise<void> {
    const { calls } = callers.counts;
    await this.#wait(callers, (counts) => counts.calls >= calls + this.#options.callsBetween);
  }

  /** Waits for callers, unless a call has failed. */
  async #wait(
    { counts, failures }: Callers,
    isEnough: (counts: Callers['counts']) => boolean,
  ): Promise<void> {
    await until(
      () => failures.length > 0 || isEnough(counts),
      (isOver) => isOver,
    );
  }

  /** Sweeps as an hour later, when everything that a killed host has left has expired. */
  async #compareLedgers({ served, counts }: Callers): Promise<LedgerDifferences> {
    const clients = this.#database.connect();
    const { client } = clients;
    await sweep(openLedger({ clients, clock: () => Date.now() + HOUR_MS }), client);
    const { keys } = openLedger({ clients, clock: Date.now });
    let [drift, held, overCaps, missingOfCaps] = [0n, 0n, 0n, 0n];
    const unrecorded = new Set(served.keys());
    let recordsWithoutCall = 0;
    for (const { accountId, key } of [...this.#accounts, ...this.#cappedAccounts]) {
      const { audit, records, wallet } = await ledgerOf(client, { accountId, keys: [key] });
      drift += audit.drift;
      held += audit.held + BigInt(wallet.holds.length);
      for (const { id } of records) if (!unrecorded.delete(id)) recordsWithoutCall += 1;
      const { policy, monthLeft } = (await keys.read(key.keyId)) ?? {};
      const cap = policy?.monthly_usd;
      if (cap === undefined || monthLeft === undefined) continue;
      const spent = records.reduce((sum, { cost }) => sum + cost, 0n);
      if (spent > cap) overCaps += spent - cap;
      missingOfCaps += cap - spent - monthLeft;
    }
    return {
      drift,
      held,
      overCaps,
      missingOfCaps,
      callsWithoutRecord: unrecorded.size,
      recordsWithoutCall: Math.max(0, recordsWithoutCall - counts.cut),
    };
  }
}
