/** Processes that share a store of circuits and call one route, in a time that stands still until it is advanced. */
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import { NANO_PER_CENT, NANO_PER_USD } from '../../../platform/core/money.ts';
import type { Candidate, CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { Breaker } from '../../core/circuit/breaker.ts';
import type { CircuitStore } from '../../core/circuit/cached-circuits.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { candidatesOf as candidatesIn } from '../catalog/models.ts';
import { createBreaker, MemoryCircuits } from './memory-circuits.ts';

/** A model's routes of these names, as the catalog has them. */
export const candidatesOf = (...ids: readonly string[]): readonly Candidate[] =>
  candidatesIn({ routes: ids.map((id) => ({ id, timeout_ms: 60_000, secret: 'env:ACME_KEY' })) });

export function routeOf(id: string): CatalogRoute {
  const [candidate] = candidatesOf(id);
  if (candidate === undefined) throw new Error('the catalog has no route');
  return candidate.route;
}

export const ROUTE = routeOf('route');

export const DEAD = new UpstreamFailure('connection');

/** `skipped`: the breaker did not let it try. */
export type Result = 'completed' | 'failed' | 'skipped';

/** The end of a route attempt, if the breaker permits the attempt. */
export interface CallMetrics {
  /** Absent when the route serves. */
  readonly failure?: UpstreamFailure | undefined;
  readonly takesMs?: number;
  /** The account of the call; the same for all calls without one. */
  readonly account?: string;
  /** The account has not spent what makes its failures count for all. */
  readonly isNew?: boolean;
}

export const ACCOUNT = 'acc_0';

/** Accounts that have spent a dollar, and a cent less. */
export const PAYING = NANO_PER_USD;
const NEW = NANO_PER_USD - NANO_PER_CENT;

export class Fleet {
  readonly time = new FakeTime();
  readonly store: CircuitStore;
  readonly breakers: readonly Breaker[];
  /** Tries that reached the route, and those of them that were probes. */
  tries = 0;
  probes = 0;
  readonly events: string[] = [];
  readonly log: string[] = [];

  constructor(processes: number, store: (time: FakeTime) => CircuitStore = () => new MemoryCircuits()) {
    this.store = store(this.time);
    const note = (message: string) => this.log.push(message);
    this.breakers = Array.from({ length: processes }, () =>
      createBreaker({
        store: this.store,
        clock: this.time.clock,
        after: this.time.after,
        log: { info: note, warn: note, error: note },
        count: (event) => this.events.push(event),
      }),
    );
  }

  /** The store, which is in memory unless the test gives another. */
  get memory(): MemoryCircuits {
    if (!(this.store instanceof MemoryCircuits)) throw new Error('not in memory');
    return this.store;
  }

  breaker(process: number): Breaker {
    const breaker = this.breakers[process];
    if (breaker === undefined) throw new Error(`there is no process ${process}`);
    return breaker;
  }

  /** The number of circuit openings that all processes reported. */
  get openings(): number {
    return this.events.filter((event) => event === 'circuitOpened').length;
  }

  /** One call, from its beginning to the end of its bookkeeping. */
  async call(
    process: number,
    { failure, takesMs = 0, account = ACCOUNT, isNew = false }: CallMetrics,
    route = ROUTE,
  ): Promise<Result> {
    const breaker = this.breaker(process);
    await breaker.refresh([route], account);
    const pass = await breaker.admit(route, { accountId: account, spentAmount: isNew ? NEW : PAYING });
    if (!pass.allowed) return 'skipped';
    this.tries += 1;
    if (pass.probe !== undefined) this.probes += 1;
    if (takesMs > 0) await this.time.sleep(takesMs);
    if (failure === undefined) breaker.succeeded(pass);
    else breaker.failed(failure, pass);
    await breaker.flush();
    return failure === undefined ? 'completed' : 'failed';
  }

  /** A call of every process at once. */
  round(outcome: CallMetrics): Promise<readonly Result[]> {
    return this.time.until(Promise.all(this.breakers.map((_, process) => this.call(process, outcome))));
  }
}
