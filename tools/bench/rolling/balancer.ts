/**
 * A load balancer in front of hosts of several versions. It sends calls to a host once its health check passes, chooses at
 * random, and repeats no call. ECS takes a host out of it before it stops the host.
 */
import { Pool } from 'undici';
import { HOST_HEALTH_PATH } from '../../../lambdas/platform/contract/inference-host.ts';
import { until } from '../../test-kit/waiting.ts';
import type { ServiceProcess } from '../harness/process.ts';
import type { ProgramVersion } from './programs.ts';

/** A balancer closes idle connections before the host does. */
const IDLE_MS = 10_000;

/** A call on its way. */
export interface BalancedCall {
  /** The host has begun to respond. */
  hasHeaders: boolean;
  /** The host was killed meanwhile. */
  isCut: boolean;
}

export interface Target {
  readonly version: ProgramVersion;
  readonly host: ServiceProcess;
  readonly pool: Pool;
  readonly open: Set<BalancedCall>;
}

/** Returns the status of a host's health check. */
const healthOf = async ({ url }: Pick<ServiceProcess, 'url'>): Promise<number> =>
  (await fetch(url + HOST_HEALTH_PATH)).status;

export class Balancer {
  readonly #draw: () => number;
  readonly #targets: Target[] = [];
  /** The calls that were open when their host began to stop. */
  drainedCalls = 0;

  constructor(draw: () => number) {
    this.#draw = draw;
  }

  async add(version: ProgramVersion, host: ServiceProcess): Promise<void> {
    await until(
      () => healthOf(host),
      (status) => status === 200,
    );
    const pool = new Pool(host.url, { connections: null, pipelining: 1, keepAliveMaxTimeout: IDLE_MS });
    this.#targets.push({ version, host, pool, open: new Set() });
  }

  /** Chooses among all targets, or among those of other versions if there are any. */
  choose(other?: ProgramVersion): Target {
    const others = this.#targets.filter(({ version }) => version !== other);
    const candidates = others.length === 0 ? this.#targets : others;
    const target = candidates[Math.floor(this.#draw() * candidates.length)];
    if (target === undefined) throw new Error('the balancer has no host');
    return target;
  }

  /** Stops a host of a version in order, under calls of which it has received all. */
  async drain(version: ProgramVersion): Promise<void> {
    const target = this.#remove(version);
    const { open } = target;
    await until(
      () => [...open].every(({ hasHeaders }) => hasHeaders),
      (areReceived) => areReceived,
    );
    if (open.size === 0) {
      // It shows nothing to stop a host without calls.
      this.#targets.unshift(target);
      await until(
        () => open.size,
        (calls) => calls > 0,
      );
      return this.drain(version);
    }
    this.drainedCalls += open.size;
    return this.#stop(target);
  }

  /** Kills a host of a version, which cuts its open calls. */
  async kill(version: ProgramVersion): Promise<void> {
    const { host, open, pool } = this.#remove(version);
    for (const call of open) call.isCut = true;
    await host.kill();
    await pool.destroy();
  }

  /** Stops the remaining hosts, which have no calls. */
  async close(): Promise<void> {
    for (const target of this.#targets.splice(0)) await this.#stop(target);
  }

  async #stop({ host, pool }: Target): Promise<void> {
    await host.stop();
    await pool.destroy();
  }

  /** Takes the oldest host of a version out. */
  #remove(version: ProgramVersion): Target {
    const at = this.#targets.findIndex((target) => target.version === version);
    const [target] = at < 0 ? [] : this.#targets.splice(at, 1);
    if (target === undefined) throw new Error(`the balancer has no host of ${version}`);
    return target;
  }
}
