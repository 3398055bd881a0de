/** A circuit store behind a network: answers are late or lost, requests late, lost or repeated, and a process may die. */

import type { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import type { CircuitStore } from '../../core/circuit/cached-circuits.ts';
import type { Circuit, CircuitChange } from '../../core/circuit/circuit.ts';
import type { MemoryCircuits } from './memory-circuits.ts';

export const FAULTS = ['none', 'unsent', 'answer-lost', 'late', 'repeated'] as const;

/**
 * `unsent`: never arrives. `answer-lost`: arrives, and its sender does not hear of it. `late`: arrives after its sender
 * has given up. `repeated`: its answer is lost, and it is sent again as the SDK does.
 */
export interface Disturbance {
  readonly fault: (typeof FAULTS)[number];
  /** On the way there, and again on the way back. */
  readonly delayMs: number;
}

/** The delay of a late request, after the SDK has given up. */
const LATE_MS = 9_000;

export class FaultyCircuits implements CircuitStore {
  readonly #memory: MemoryCircuits;
  readonly #time: FakeTime;
  readonly #next: () => Disturbance;
  #dead = false;

  constructor(memory: MemoryCircuits, time: FakeTime, next: () => Disturbance) {
    this.#memory = memory;
    this.#time = time;
    this.#next = next;
  }

  /** Ends the process: its requests arrive, and it receives no response. */
  die(): void {
    this.#dead = true;
  }

  read(keys: readonly string[]): Promise<ReadonlyMap<string, Circuit>> {
    return this.#disturbed(() => this.#memory.read(keys));
  }

  write(key: string, change: CircuitChange): Promise<Circuit> {
    return this.#disturbed(() => this.#memory.write(key, change));
  }

  async #disturbed<T>(work: () => Promise<T>): Promise<T> {
    await this.#alive();
    const { fault, delayMs } = this.#next();
    const pause = () => (delayMs === 0 ? undefined : this.#time.sleep(delayMs));
    if (fault === 'late') void this.#time.sleep(LATE_MS + delayMs).then(work);
    await pause();
    if (fault === 'unsent' || fault === 'late') return this.#loseResponse(delayMs);
    const result = await work();
    await pause();
    if (fault === 'answer-lost') return this.#loseResponse(delayMs);
    if (fault !== 'repeated') return this.#alive(result);
    const second = await work();
    await pause();
    return this.#alive(second);
  }

  async #loseResponse(delayMs: number): Promise<never> {
    await this.#time.sleep(delayMs);
    await this.#alive();
    throw new Error('no answer');
  }

  #alive<T>(result?: T): Promise<T> {
    return this.#dead ? new Promise<T>(() => {}) : Promise.resolve(result as T);
  }
}
