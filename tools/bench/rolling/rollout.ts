/**
 * The hosts of a service replaced by those of another version and back, one after another, under calls, on one database.
 */
import type { Policy } from '../../../lambdas/access/core/keys/policy.ts';
import { windowsAt } from '../../../lambdas/access/core/keys/windows.ts';
import { ledgerOf, openLedger, repairAll, sweep } from '../../../lambdas/ledger/testing/running-ledger.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import { until } from '../../test-kit/waiting.ts';
import { accountOfKey, type BenchAccount, UNLIMITED } from '../harness/service/account.ts';
import { Balancer } from './balancer.ts';
import { Callers } from './callers.ts';
import { type Programs, type ProgramVersion, writesLaterKeys } from './programs.ts';
import { MixedStage } from './stage.ts';

/** A service has as many by default. */
const HOSTS = 2;
const ACCOUNTS = 8;

/** Some 20 calls. */
const CAP: NanoUsd = 300_000n;

/** No call and no lease lasts as long. */
const HOUR_MS = 3_600_000;

/** The end of a replaced host. */
type HostEnd = 'drain' | 'kill';

/**
 * A pass replaces all hosts by hosts of the other version: forward, back, forward, and so on. `finish` permits the layouts
 * of the next version.
 */
export type RolloutStep = HostEnd | 'finish';

export interface RolloutOptions {
  readonly programs: Programs;
  readonly old: ProgramVersion;
  readonly next: ProgramVersion;
  readonly steps: readonly RolloutStep[];
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
  readonly differences: StoredDifferences;
}

/** The differences in what is stored after all calls. Each must be zero. */
interface StoredDifferences {
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
  /** Keys that have lost the field of their later layout. */
  readonly lostFields: number;
}

/** Plays a rollout, and returns what is left of it after a sweep. */
export async function playRollout(options: RolloutOptions): Promise<RolloutResult> {
  const stage = await MixedStage.open(options.programs);
  const rollout = new Rollout(options, stage);
  try {
    return await rollout.play();
  } finally {
    await rollout.close();
    await stage.close();
  }
}

class Rollout {
  readonly #options: RolloutOptions;
  readonly #stage: MixedStage;
  readonly #balancer: Balancer;
  readonly #accounts: BenchAccount[] = [];
  readonly #cappedKeys: BenchAccount[] = [];
  #replacedHosts = 0;
  #laterKeys = 0;
  #isFinished = false;

  constructor(options: RolloutOptions, stage: MixedStage) {
    this.#options = options;
    this.#stage = stage;
    this.#balancer = new Balancer(options.draw);
  }

  async play(): Promise<RolloutResult> {
    const { old, next, draw } = this.#options;
    await this.#stage.writePrograms([old, next]);
    while (this.#accounts.length < ACCOUNTS) this.#accounts.push(await this.#stage.openAccount());
    for (let count = 0; count < HOSTS; count += 1) await this.#start(old);
    const callers = new Callers({ balancer: this.#balancer, accounts: this.#accounts, draw });
    try {
      await this.#takeSteps(callers);
    } finally {
      await callers.stop();
    }
    await this.#balancer.close();
    return {
      ...callers.counts,
      accounts: this.#accounts.length,
      replacedHosts: this.#replacedHosts,
      drainedCalls: this.#balancer.drainedCalls,
      failures: callers.failures,
      differences: await this.#compare(callers),
    };
  }

  async close(): Promise<void> {
    await this.#balancer.close();
  }

  async #takeSteps(callers: Callers): Promise<void> {
    let [from, to] = [this.#options.old, this.#options.next];
    for (const step of this.#options.steps) {
      if (step === 'finish') {
        await this.#stage.finish();
        this.#isFinished = true;
        continue;
      }
      await this.#createKey(callers, to);
      for (let count = 0; count < HOSTS; count += 1) {
        await this.#start(to);
        await this.#moreCalls(callers);
        await this.#balancer[step](from);
        this.#replacedHosts += 1;
        await this.#moreCalls(callers);
      }
      const { overCap } = callers.counts;
      await this.#wait(callers, (counts) => counts.overCap > overCap);
      [from, to] = [to, from];
    }
    // The last hosts serve a key that the next version has created.
    await this.#createKey(callers, this.#options.next);
    await this.#moreCalls(callers);
  }

  async #start(version: ProgramVersion): Promise<void> {
    await this.#balancer.add(version, await this.#stage.startHost(version));
  }

  /** Has a version create the next capped key, in the later layout if it writes that. */
  async #createKey(callers: Callers, version: ProgramVersion): Promise<void> {
    const [owner] = this.#accounts;
    if (owner === undefined) throw new Error('there is no account');
    const policy = { ...UNLIMITED, monthly_usd: CAP } satisfies Policy;
    const isLater = this.#isFinished && writesLaterKeys(version);
    const policies = [{ ...policy, reads: 'account' }, policy] as const;
    const [later, plain] = await this.#stage.createKeys(version, owner.accountId, policies);
    if ((later?.statusCode === 201) !== isLater)
      callers.failures.push(`create-key of ${version}, finished ${this.#isFinished}: ${later?.body}`);
    if (isLater) this.#laterKeys += 1;
    const { key } = JSON.parse((isLater ? later : plain)?.body ?? '');
    callers.capped = accountOfKey(owner.accountId, key);
    this.#cappedKeys.push(callers.capped);
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

  /**
   * Compares what is stored after a sweep and two repairs of caps. The first one is as an hour later, when everything that a
   * killed host has left has expired, and ends its leases. Their keys are at rest for the second one.
   */
  async #compare({ served, counts }: Callers): Promise<StoredDifferences> {
    const { clients } = this.#stage;
    const { client } = clients;
    let hours = 1;
    const clock = () => Date.now() + hours * HOUR_MS;
    const ledger = openLedger({ clients, clock });
    await sweep(ledger, client);
    const unrecorded = new Set(served.keys());
    let [drift, held, overCaps, missingOfCaps, recordsWithoutCall] = [0n, 0n, 0n, 0n, 0];
    for (const { accountId, key } of this.#accounts) {
      const capped = this.#cappedKeys.filter((other) => other.accountId === accountId);
      const account = { accountId, keys: [key, ...capped.map((other) => other.key)] } as const;
      for (hours = 1; hours <= 2; hours += 1) await repairAll(ledger, client, account, clock);
      const { audit, records, wallet } = await ledgerOf(client, account);
      drift += audit.drift;
      held += audit.held + BigInt(wallet.holds.length);
      for (const { id } of records) if (!unrecorded.delete(id)) recordsWithoutCall += 1;
      for (const { keyId } of capped.map((other) => other.key)) {
        const spent = records
          .filter(
            (record) =>
              record.keyId === keyId && windowsAt(record.created * 1000).month === windowsAt(clock()).month,
          )
          .reduce((sum, { cost }) => sum + cost, 0n);
        const { monthLeft = 0n } = (await ledger.keys.read(keyId)) ?? {};
        if (spent > CAP) overCaps += spent - CAP;
        missingOfCaps += CAP - spent - monthLeft;
      }
    }
    return {
      drift,
      held,
      overCaps,
      missingOfCaps,
      callsWithoutRecord: unrecorded.size,
      recordsWithoutCall: Math.max(0, recordsWithoutCall - counts.cut),
      lostFields: this.#laterKeys - (await this.#stage.laterKeys()),
    };
  }
}
