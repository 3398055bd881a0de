/**
 * The circuits that one call over a route goes by, and counts in: the shared one, and its account's own. Own circuits
 * have a few places a route that accounts use in turn, so that no number of accounts makes the table of circuits large.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../../ports.ts';
import { CallTally } from './call-tally.ts';
import type { Bucket } from './call-window.ts';
import {
  afterFailure,
  afterSuccesses,
  type Circuit,
  closedCircuit,
  isInDoubt,
  ownCircuit,
} from './circuit.ts';
import type { Change, KnownCircuits } from './circuit-cache.ts';

/** `shared`: what all accounts have met. `own`: what the call's account has met, wherever others are served. */
export type Scope = 'shared' | 'own';

export const SCOPES: readonly Scope[] = ['shared', 'own'];

/** Enough for every account that fails where few do; where more fail at once, the shared circuit knows of them. */
const PLACES = 8;

/** No route id has this character. */
const PLACE_MARK = '#';

export const ACCOUNT_HASH_LENGTH = 6;

/** Distinguishes accounts; four and a half bytes say nothing of which account it is. */
export const accountHash = (accountId: string): string =>
  hash('sha256', accountId, 'base64url').slice(0, ACCOUNT_HASH_LENGTH);

export const routeOf = ({ id }: Circuit): string => id.split(PLACE_MARK, 1)[0] ?? id;

/** An account as it calls one route. */
export interface Caller {
  readonly routeId: string;
  /** As `accountHash` gives it. */
  readonly account: string;
  /** What the process counts its calls by. */
  readonly keys: Readonly<Record<Scope, string>>;
  /** Ids that its own circuit may have. */
  readonly places: readonly string[];
}

export function callerOf(routeId: string, accountId: string): Caller {
  const account = accountHash(accountId);
  // Accounts begin to look in different places, so that they seldom meet in one.
  const first = account.charCodeAt(0);
  const place = (_: unknown, index: number) => `${routeId}${PLACE_MARK}${(first + index) % PLACES}`;
  const keys = { shared: routeId, own: `${routeId} ${account}` };
  return { routeId, account, keys, places: Array.from({ length: PLACES }, place) };
}

export class CallCircuits {
  readonly #known: KnownCircuits;
  readonly #clock: Clock;
  readonly #tallies: Readonly<Record<Scope, CallTally>>;

  constructor(known: KnownCircuits, clock: Clock) {
    this.#known = known;
    this.#clock = clock;
    this.#tallies = { shared: new CallTally(clock), own: new CallTally(clock) };
  }

  of(scope: Scope, caller: Caller): Circuit {
    if (scope === 'shared') return this.#known.of(caller.routeId);
    return this.#ownOf(caller) ?? closedCircuit(caller.routeId, caller.account);
  }

  /** As `KnownCircuits.change`; comes to nothing when other accounts have all places of own circuits. */
  change(scope: Scope, caller: Caller, change: Change): Promise<boolean> {
    const { routeId, account, places } = caller;
    if (scope === 'shared') return this.#known.change(routeId, change);
    const own = (circuit: Circuit) => ownCircuit(circuit, account, this.#clock());
    const isFree = (place: string) => own(this.#known.of(place)) !== undefined;
    const place = this.#ownOf(caller)?.id ?? places.find(isFree);
    if (place === undefined) return Promise.resolve(false);
    return this.#known.change(place, (circuit) => {
      const before = own(circuit);
      const after = before && change(before);
      return after === undefined || after === before ? circuit : after;
    });
  }

  /** The circuit among its places that is the account's. */
  #ownOf({ places, account }: Caller): Circuit | undefined {
    for (const place of places) {
      const circuit = this.#known.has(place) ? this.#known.of(place) : undefined;
      if (circuit?.account === account) return circuit;
    }
    return undefined;
  }

  /** Counts a failed call that began then. */
  countFailure(scope: Scope, caller: Caller, begunMs: number): void {
    const { account } = caller;
    const nowMs = this.#clock();
    const key = caller.keys[scope];
    const failedBefore = this.#tallies[scope].failed(key);
    const seen = this.#tallies[scope].seen(key);
    this.#write(scope, caller, (circuit, unreported) =>
      afterFailure(circuit, { nowMs, begunMs, account, failedBefore, seen, unreported }),
    );
  }

  /** Counts a success, to be reported when that matters; gives whether the call before it failed. */
  countSuccess(scope: Scope, caller: Caller): boolean {
    return this.#tallies[scope].succeeded(caller.keys[scope]);
  }

  /** Takes back a success of that time, and gives up what `countSuccess` gave. */
  takeBack(scope: Scope, caller: Caller, servedMs: number, failedBefore: boolean): void {
    this.#tallies[scope].broke(caller.keys[scope], servedMs, failedBefore);
  }

  /** Reports the successes over a route that has been seen to fail. */
  reportSuccesses(scope: Scope, caller: Caller): void {
    if (!this.#tallies[scope].hasUnreported(caller.keys[scope]) || !this.isInDoubt(scope, caller)) return;
    const nowMs = this.#clock();
    this.#write(scope, caller, (circuit, unreported) => afterSuccesses(circuit, nowMs, unreported));
  }

  isInDoubt(scope: Scope, caller: Caller): boolean {
    return isInDoubt(this.of(scope, caller), this.#clock());
  }

  /** Makes a change that reports the successes so far; they are kept if it comes to nothing. */
  #write(
    scope: Scope,
    caller: Caller,
    change: (circuit: Circuit, unreported: readonly Bucket[]) => Circuit,
  ): void {
    const tally = this.#tallies[scope];
    const key = caller.keys[scope];
    const unreported = tally.take(key);
    void this.change(scope, caller, (circuit) => change(circuit, unreported)).then((took) => {
      if (!took) tally.restore(key, unreported);
    });
  }
}
