/**
 * Real hosts behind a simulated load balancer, in the time of Jest's fake timers. Calls arrive 20 times a second and take
 * two seconds. The balancer follows the guide of Application Load Balancers: it sends calls to healthy targets, or to all
 * if none is healthy, and repeats no call. Automatic target weights are not simulated.
 */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { HOST_GRACE_SECONDS, HOST_HEALTH_CHECKS } from '../../platform/contract/inference-host.ts';
import { SharedBytes } from '../../platform/http/body-budget.ts';
import { NodeHost } from '../../platform/http/node-host.ts';
import { createLifeCycle } from '../serve.ts';

const EVERY_MS = 50;
const CALL_MS = 2_000;
const HEALTH_PATH = '/health';

const BYTES = new SharedBytes(1_000);
const BODY = {
  maxBytes: 1_000,
  idleMs: 1_000,
  totalMs: 1_000,
  minRate: { bytesPerSecond: 1, overMs: 1_000 },
  budget: { arriving: BYTES, slow: BYTES, larger: BYTES, unproven: BYTES, complete: BYTES, afterSending: 1 },
};

/** Everything that is ready to run has run; hosts that are called in memory wait for timers alone. */
async function idle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A host in a process of its own, as far as a balancer can tell. */
export class BalancedHost {
  readonly host: NodeHost;
  readonly #lifeCycle: ReturnType<typeof createLifeCycle>;
  readonly #endOfCalls = new AbortController();
  /** The code with which the process has ended; null if it was killed. */
  exitCode: number | null | undefined;
  /** Responds to every call at once with 500, and to health checks as before. */
  failsFast = false;
  /** False once ECS has taken it out of the balancer. */
  isRegistered = true;

  constructor() {
    this.host = new NodeHost({
      resolve: (_method, path) => ({
        handler: path === HEALTH_PATH ? this.#check : this.#serve,
        pathParameters: {},
        body: BODY,
      }),
      clock: Date.now,
      callMs: 900_000,
      maxCalls: 1_000,
    });
    this.#lifeCycle = createLifeCycle(this.host, {
      graceMs: HOST_GRACE_SECONDS * 1_000,
      endCalls: () => this.#endOfCalls.abort(),
      exit: (code) => {
        this.exitCode ??= code;
      },
    });
    this.host.isReady = true;
  }

  /** Throws an exception that nobody catches. */
  fail(): void {
    this.#lifeCycle.fail();
  }

  /** Sends SIGTERM. */
  terminate(): void {
    void this.#lifeCycle.stop();
  }

  kill(): void {
    this.exitCode = null;
    this.host.server.close();
  }

  /** Returns undefined if the connection is refused. */
  request(path: string): ServerResponse | undefined {
    const { server } = this.host;
    if (this.exitCode !== undefined || !server.listening) return undefined;
    const request = Object.assign(new IncomingMessage(new Socket()), {
      method: 'GET',
      url: path,
      complete: true,
    });
    const response = new ServerResponse(request);
    server.emit('request', request, response);
    return response;
  }

  readonly #check = async () => ({ status: this.host.isHealthy ? 200 : 503, headers: {}, body: '' });

  readonly #serve = async () => {
    if (this.failsFast) return { status: 500, headers: {}, body: '' };
    const { signal } = this.#endOfCalls;
    await new Promise((resolve) => {
      setTimeout(resolve, CALL_MS);
      signal.addEventListener('abort', resolve);
    });
    return { status: signal.aborted ? 503 : 200, headers: {}, body: '' };
  };
}

interface Target {
  readonly host: BalancedHost;
  readonly firstCheckMs: number;
  failedChecks: number;
  openCalls: number;
}

interface SimulatedCall {
  /** The time since the event. */
  readonly startMs: number;
  /** The status, or why there is none. Undefined while it is open. */
  result: number | 'refused' | 'cut' | undefined;
}

export interface Simulation {
  readonly hosts: number;
  readonly algorithm: 'least_outstanding_requests' | 'weighted_random';
  readonly random: () => number;
  /** Changes the first host, or the others, after 20 s. */
  readonly onEvent: (host: BalancedHost, others: readonly BalancedHost[]) => void;
  /** Time after the event. */
  readonly durationMs: number;
}

const BEFORE_MS = 20_000;

/** Returns the calls that were open at the event, and those that began after it. */
export async function simulate(simulation: Simulation): Promise<{
  readonly calls: readonly SimulatedCall[];
  readonly hosts: readonly BalancedHost[];
}> {
  const { algorithm, random, onEvent, durationMs } = simulation;
  const first = new BalancedHost();
  const others = Array.from({ length: simulation.hosts - 1 }, () => new BalancedHost());
  const hosts = [first, ...others];
  for (const { host } of hosts) await once(host.server.listen(0, '127.0.0.1'), 'listening');
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  try {
    const intervalMs = HOST_HEALTH_CHECKS.intervalSeconds * 1_000;
    const targets = hosts.map((host, at): Target => {
      const firstCheckMs = EVERY_MS * Math.floor(((at + 0.5) / hosts.length) * (intervalMs / EVERY_MS));
      return { host, firstCheckMs, failedChecks: 0, openCalls: 0 };
    });
    const open = new Set<{
      readonly target: Target;
      readonly response: ServerResponse;
      readonly call: SimulatedCall;
    }>();
    const calls: SimulatedCall[] = [];
    for (let nowMs = -BEFORE_MS; nowMs < durationMs; nowMs += EVERY_MS) {
      if (nowMs === 0) onEvent(first, others);
      for (const target of targets) {
        if ((nowMs + BEFORE_MS - target.firstCheckMs) % intervalMs !== 0) continue;
        const response = target.host.request(HEALTH_PATH);
        await idle();
        target.failedChecks = response?.statusCode === 200 ? 0 : target.failedChecks + 1;
      }
      const target = choose(targets, algorithm, random);
      const call: SimulatedCall = { startMs: nowMs, result: undefined };
      const response = target.host.request('/call');
      calls.push(call);
      if (response === undefined) call.result = 'refused';
      else {
        open.add({ target, response, call });
        target.openCalls += 1;
      }
      await idle();
      jest.advanceTimersByTime(EVERY_MS);
      await idle();
      for (const item of open) {
        if (!item.response.writableEnded && item.target.host.exitCode === undefined) continue;
        item.call.result = item.response.writableEnded ? item.response.statusCode : 'cut';
        item.target.openCalls -= 1;
        open.delete(item);
      }
    }
    return { calls: calls.filter(({ startMs }) => startMs >= -CALL_MS), hosts };
  } finally {
    jest.useRealTimers();
    for (const { host } of hosts) host.server.close();
  }
}

function choose(
  targets: readonly Target[],
  algorithm: Simulation['algorithm'],
  random: () => number,
): Target {
  const registered = targets.filter(({ host }) => host.isRegistered);
  const healthy = registered.filter(({ failedChecks }) => failedChecks < HOST_HEALTH_CHECKS.unhealthyCount);
  const usable = healthy.length === 0 ? registered : healthy;
  const fewest = Math.min(...usable.map(({ openCalls }) => openCalls));
  const candidates =
    algorithm === 'weighted_random' ? usable : usable.filter(({ openCalls }) => openCalls === fewest);
  return candidates[Math.floor(random() * candidates.length)] as Target;
}
