/** A circuit store in memory, and breakers on it. */
import { ulid } from 'ulid';
import { systemAfter, systemClock } from '../../../../lambdas/adapters/system/system.ts';
import { Breaker, type BreakerDependencies } from '../../../../lambdas/core/inference/circuit/breaker.ts';
import { type Circuit, closedCircuit } from '../../../../lambdas/core/inference/circuit/circuit.ts';
import type { CircuitStore } from '../../../../lambdas/core/inference/circuit/circuit-cache.ts';

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

export class MemoryCircuits implements CircuitStore {
  readonly circuits = new Map<string, Circuit>();
  /** Every circuit that was written, in order. */
  readonly history: Circuit[] = [];
  reads = 0;
  /** Writes that were asked for, whether they took or met another. */
  writes = 0;

  async load(): Promise<readonly Circuit[]> {
    this.reads += 1;
    return [...this.circuits.values()];
  }

  async save(circuit: Circuit): Promise<Circuit> {
    this.writes += 1;
    const stored = this.of(circuit.id);
    if (stored.version !== circuit.version - 1) return stored;
    this.circuits.set(circuit.id, circuit);
    this.history.push(circuit);
    return circuit;
  }

  of(id: string): Circuit {
    return this.circuits.get(id) ?? closedCircuit(id);
  }
}

export const createBreaker = (dependencies: Partial<BreakerDependencies> = {}): Breaker =>
  new Breaker({
    store: new MemoryCircuits(),
    clock: systemClock,
    after: systemAfter,
    ulid,
    log: SILENT,
    count: () => {},
    ...dependencies,
  });
