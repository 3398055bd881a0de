/**
 * The circuits that one call over a route goes by, and counts in: the shared one, and its account's own. Own circuits
 * have a few places a route that accounts use in turn, so that no number of accounts makes the table of circuits large.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../ports.ts';
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
import type { Change, KnownCircuits } from './known-circuits.ts';

/** `shared`: what all accounts have met. `own`: what the call's account has met, wherever others are served. */
export type Scope = 'shared' | 'own';

export const SCOPES: readonly Scope[] = ['shared', 'own'];

export interface Caller {
  readonly routeId: string;
  /** As `accountHash` gives it. */
  readonly account: string;
}

/** Enough for every account that fails where few do; where more fail at once, the shared circuit tells of them. */
const PLACES = 8;

/** No route id has this character. */
const PLACE_MARK = '#';

export const ACCOUNT_HASH_LENGTH = 6;

/** Tells accounts apart; four and a half bytes tell nobody which account it is. */
export const accountHash = (accountId: string): string =>
  createHash('sha256').update(accountId).digest('base64url').slice(0, ACCOUNT_HASH_LENGTH);

export const routeOf = ({ id }: Circuit): string => id.split(PLACE_MARK, 1)[0] ?? id;

const keyOf = (scope: Scope, { routeId, account }: Caller): string =>
  scope === 'shared' ? routeId : `${routeId} ${account}`;

export class CallCircuits {
  readonly #known: KnownCircuits;
  readonly #clock: Clock;
  readonly #tallies: Readonly<Record<Scope, CallTally>>;

  constructor(known: KnownCircuits, clock: Clock) {
    this.#known = known;
    this.#clock = clock;
    this.#tallies = { shared: new CallTally(clock), own: new CallTally(clock) };
  }

  of(scope: Scope, { routeId, account }: Caller): Circuit {
    if (scope === 'shared') return this.#known.of(routeId);
    const place = this.#placeOf(routeId, account);
    const found = place === undefined ? undefined : this.#ownIn(this.#known.of(place), account);
    return found ?? closedCircuit(routeId, account);
  }

  /** As `KnownCircuits.change`; comes to nothing when other accounts have all places of own circuits. */
  change(scope: Scope, { routeId, account }: Caller, change: Change): Promise<boolean> {
    if (scope === 'shared') return this.#known.change(routeId, change);
    const place = this.#placeOf(routeId, account);
    if (place === undefined) return Promise.resolve(false);
    return this.#known.change(place, (circuit) => {
      const own = this.#ownIn(circuit, account);
      const changed = own && change(own);
      return changed === undefined || changed === own ? circuit : changed;
    });
  }

  /** Counts a failed call that began then. */
  countFailure(scope: Scope, caller: Caller, begunMs: number): void {
    const { account } = caller;
    const nowMs = this.#clock();
    const key = keyOf(scope, caller);
    const failedBefore = this.#tallies[scope].failed(key);
    const seen = this.#tallies[scope].seen(key);
    this.#write(scope, caller, (circuit, unreported) =>
      afterFailure(circuit, { nowMs, begunMs, account, failedBefore, seen, unreported }),
    );
  }

  /** Counts a success, to be reported when that matters; gives whether the call before it failed. */
  countSuccess(scope: Scope, caller: Caller): boolean {
    return this.#tallies[scope].succeeded(keyOf(scope, caller));
  }

  /** Takes back a success of that time, and gives up what `countSuccess` gave. */
  takeBack(scope: Scope, caller: Caller, servedMs: number, failedBefore: boolean): void {
    this.#tallies[scope].broke(keyOf(scope, caller), servedMs, failedBefore);
  }

  /** Reports the successes over a route that has been seen to fail. */
  reportSuccesses(scope: Scope, caller: Caller): void {
    if (!this.#tallies[scope].hasUnreported(keyOf(scope, caller)) || !this.isInDoubt(scope, caller)) return;
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
    const key = keyOf(scope, caller);
    const unreported = tally.take(key);
    void this.change(scope, caller, (circuit) => change(circuit, unreported)).then((took) => {
      if (!took) tally.restore(key, unreported);
    });
  }

  #ownIn(circuit: Circuit, account: string): Circuit | undefined {
    return ownCircuit(circuit, account, this.#clock());
  }

  /** The place that the account has, or the first that it may take. */
  #placeOf(routeId: string, account: string): string | undefined {
    // Accounts begin to look in different places, so that they seldom meet in one.
    const first = account.charCodeAt(0);
    const placeAt = (index: number) => `${routeId}${PLACE_MARK}${(first + index) % PLACES}`;
    if (this.#known.isEmpty) return placeAt(0);
    const places = Array.from({ length: PLACES }, (_, index) => placeAt(index));
    return (
      places.find((place) => this.#known.of(place).account === account) ??
      places.find((place) => this.#ownIn(this.#known.of(place), account) !== undefined)
    );
  }
}
