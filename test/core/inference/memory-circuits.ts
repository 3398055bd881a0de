/** A circuit store in memory, and breakers on it. */
import { ulid } from 'ulid';
import { systemAfter, systemClock } from '../../../lambdas/adapters/system.ts';
import {
  Breaker,
  type BreakerDependencies,
  type CircuitStore,
} from '../../../lambdas/core/inference/breaker.ts';
import { type Circuit, closedCircuit } from '../../../lambdas/core/inference/circuit.ts';

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

export class MemoryCircuits implements CircuitStore {
  readonly circuits = new Map<string, { readonly circuit: Circuit; readonly writer: string }>();
  writes = 0;

  async load(): Promise<readonly Circuit[]> {
    return [...this.circuits.values()].map(({ circuit }) => circuit);
  }

  async save(circuit: Circuit, writer: string): Promise<'saved' | Circuit> {
    this.writes += 1;
    const stored = this.circuits.get(circuit.routeId);
    const isNext = (stored?.circuit.version ?? 0) === circuit.version - 1;
    if (!isNext && stored?.writer !== writer) return stored?.circuit ?? closedCircuit(circuit.routeId);
    this.circuits.set(circuit.routeId, { circuit, writer });
    return 'saved';
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
