/**
 * A process of a simulated service: it may die or pause at any await, has a clock of its own, and reaches the database by
 * requests that are lost, delayed and repeated.
 */
import type { After } from '../../../platform/core/ports.ts';
import type { Simulation } from './simulation.ts';

/** The times of a simulated service, shorter than the real ones, so that histories meet their ends. */
export const TIMES = {
  /** The longest call. */
  callMs: 20_000,
  admitMs: 60_000,
  recordMs: 23_000,
  /** Holds expire after the longest call, and a margin. */
  holdMs: 45_000,
  /** Requests with an older signature are rejected. */
  signatureMs: 10_000,
  /** The most that two clocks differ. */
  skewMs: 1_000,
  marginMs: 10_000 + 2 * 1_000,
  /** A try without a response is given up. */
  timeoutMs: 120,
} as const;

/** No response arrived. */
export class UnknownOutcome extends Error {
  override readonly name = 'TimeoutError';
  readonly $metadata = {};
}

export interface Network {
  readonly simulation: Simulation;
  /** The share of requests that a fault meets. */
  faultRate: number;
  /** Notes every request that the database has executed. */
  readonly onExecuted: () => void;
}

export interface SendOptions {
  readonly tries: number;
  /** Called with the time of the signature, once the request is signed and before it is sent. */
  readonly onSigned?: () => void;
}

const NEVER = new Promise<never>(() => {});

export class SimulatedProcess {
  readonly name: string;
  /** The await at which the process dies, or pauses. */
  dieAt = Number.POSITIVE_INFINITY;
  pauseAt = Number.POSITIVE_INFINITY;
  /** Returns the time at which a pause ends. */
  pauseEnd: () => number = () => 0;
  pausedUntilMs = 0;
  offlineUntilMs = 0;
  offsetMs: number;
  isDead = false;
  readonly #network: Network;
  #awaits = 0;

  constructor(network: Network, name: string) {
    this.#network = network;
    this.name = name;
    this.offsetMs = network.simulation.int(-TIMES.skewMs / 2, TIMES.skewMs / 2);
  }

  clock = (): number => Math.floor(this.#network.simulation.nowMs) + this.offsetMs;

  uptime = (): number => this.#network.simulation.nowMs;

  after: After = (ms, run) => {
    let isCancelled = false;
    this.#network.simulation
      .sleep(ms)
      .then(() => this.gate())
      .then(() => {
        if (!isCancelled) run();
      })
      .catch((failure) => {
        this.#network.simulation.failure ??= failure;
      });
    return () => {
      isCancelled = true;
    };
  };

  /** Every await of the process passes here. */
  async gate(): Promise<void> {
    const { simulation } = this.#network;
    this.#awaits += 1;
    if (this.#awaits >= this.dieAt) this.isDead = true;
    if (this.isDead) await NEVER;
    if (this.#awaits >= this.pauseAt) {
      this.pauseAt = Number.POSITIVE_INFINITY;
      this.pausedUntilMs = this.pauseEnd();
    }
    while (simulation.nowMs < this.pausedUntilMs)
      await simulation.sleep(this.pausedUntilMs - simulation.nowMs);
    if (this.isDead) await NEVER;
  }

  async sleep(ms: number): Promise<void> {
    await this.#network.simulation.sleep(ms);
    await this.gate();
  }

  /**
   * Sends an operation, which the database executes at once or not at all. A try may be lost, lose its response, or arrive
   * late; each is signed anew. Throws `UnknownOutcome` after the last. Returns the number of tries in `copies`.
   */
  async send<T>(
    operation: () => T,
    { tries, onSigned }: SendOptions,
  ): Promise<{ readonly result: T; readonly copies: number }> {
    const { simulation, onExecuted } = this.#network;
    for (let copies = 1; copies <= tries; copies += 1) {
      const signedMs = simulation.nowMs;
      onSigned?.();
      await this.gate();
      const response = this.#transmit(() => {
        if (simulation.nowMs - signedMs > TIMES.signatureMs) return undefined;
        const result = operation();
        onExecuted();
        return { result };
      });
      const arrived = await response;
      await this.gate();
      if (arrived !== undefined) return { result: arrived.result, copies };
    }
    throw new UnknownOutcome();
  }

  /** Resolves with undefined when no response arrives in time. */
  #transmit<T>(
    execute: () => { readonly result: T } | undefined,
  ): Promise<{ readonly result: T } | undefined> {
    const { simulation, faultRate } = this.#network;
    const isFaulty = simulation.nowMs < this.offlineUntilMs || simulation.random() < faultRate;
    const fate = isFaulty ? simulation.pick(['lost', 'unanswered', 'late'] as const) : 'answered';
    const delayMs =
      fate === 'late' ? simulation.int(10, TIMES.signatureMs + 2_000) : 1 + simulation.random() * 6;
    return new Promise((resolve) => {
      if (fate !== 'answered') simulation.at(simulation.nowMs + TIMES.timeoutMs, () => resolve(undefined));
      if (fate === 'lost') return;
      simulation.at(simulation.nowMs + delayMs, () => {
        try {
          const arrived = execute();
          if (fate === 'answered')
            simulation.at(simulation.nowMs + 1 + simulation.random() * 6, () => resolve(arrived));
        } catch (failure) {
          simulation.failure ??= failure;
        }
      });
    });
  }
}
