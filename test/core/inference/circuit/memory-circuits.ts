/** A circuit store in memory, and breakers on it. */
import { ulid } from 'ulid';
import { systemAfter, systemClock } from '../../../../lambdas/adapters/system/system.ts';
import { Breaker, type BreakerDependencies } from '../../../../lambdas/core/inference/circuit/breaker.ts';
import { closedCircuits, type RouteCircuits } from '../../../../lambdas/core/inference/circuit/circuit.ts';
import type { CircuitStore } from '../../../../lambdas/core/inference/circuit/circuit-cache.ts';

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

export class MemoryCircuits implements CircuitStore {
  readonly circuits = new Map<string, RouteCircuits>();
  /** Every write that took, in order. */
  readonly history: RouteCircuits[] = [];
  reads = 0;
  /** Writes that were asked for, whether they took or met another. */
  writes = 0;

  async load(): Promise<readonly RouteCircuits[]> {
    this.reads += 1;
    return [...this.circuits.values()];
  }

  async save(route: RouteCircuits): Promise<RouteCircuits> {
    this.writes += 1;
    const stored = this.of(route.id);
    if (stored.version !== route.version - 1) return stored;
    this.circuits.set(route.id, route);
    this.history.push(route);
    return route;
  }

  of(id: string): RouteCircuits {
    return this.circuits.get(id) ?? closedCircuits(id);
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
