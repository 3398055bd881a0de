/** A circuit store in memory, and breakers on it. */
import { ulid } from 'ulid';
import { systemAfter, systemClock } from '../../../platform/system/system.ts';
import { Breaker, type BreakerDependencies } from '../../core/circuit/breaker.ts';
import type { CircuitStore } from '../../core/circuit/cached-circuits.ts';
import { type Circuit, type CircuitChange, MAX_MEMBERS } from '../../core/circuit/circuit.ts';

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

const membersOf = (value: unknown): ReadonlySet<unknown> => (value instanceof Set ? value : new Set());

/** The circuit after the change, as DynamoDB makes it; the very same one if a condition does not hold. */
export function changed(circuit: Circuit, { when, set, add = {}, remove = [] }: CircuitChange): Circuit {
  const before: Readonly<Record<string, unknown>> = { ...circuit };
  const { absent, equal = {}, atMost = {}, notFull = [] } = when;
  const isMet =
    (absent === undefined || before[absent] === undefined) &&
    Object.entries(equal).every(([name, value]) => before[name] === value) &&
    Object.entries(atMost).every(([name, value]) => Number(before[name] ?? value) <= value) &&
    notFull.every((name) => membersOf(before[name]).size < MAX_MEMBERS);
  if (!isMet) return circuit;
  const added = Object.entries(add).map(([name, value]) => [
    name,
    typeof value === 'number'
      ? Number(before[name] ?? 0) + value
      : new Set([...membersOf(before[name]), value]),
  ]);
  const after = Object.entries({ ...before, ...set, ...Object.fromEntries(added) });
  return Object.fromEntries(after.filter(([name]) => !remove.includes(name))) as Circuit;
}

export class MemoryCircuits implements CircuitStore {
  readonly circuits = new Map<string, Circuit>();
  /** Every write that took, in order. */
  readonly history: { readonly key: string; readonly before: Circuit; readonly after: Circuit }[] = [];
  reads = 0;
  /** Writes that were asked for, whether they took or not. */
  writes = 0;

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, Circuit>> {
    this.reads += 1;
    return new Map(keys.map((key) => [key, this.of(key)]));
  }

  async write(key: string, change: CircuitChange): Promise<Circuit> {
    this.writes += 1;
    const before = this.of(key);
    const after = changed(before, change);
    this.circuits.set(key, after);
    if (after !== before) this.history.push({ key, before, after });
    return after;
  }

  of(key: string): Circuit {
    return this.circuits.get(key) ?? {};
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
