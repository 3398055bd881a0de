/**
 * One stored circuit, and its changes. A change adds to sets, or sets times under a condition. It may be repeated, and
 * changes of several processes may arrive in any order. Times are milliseconds since the Unix epoch.
 *
 * A route has a circuit for all accounts (`shared`) and one for each account that it has failed (`own`).
 *
 * | Set of bucket n | `shared` | `own` |
 * |---|---|---|
 * | `a<n>` | accounts that the route has failed | failed attempts that count for this account alone |
 * | `b<n>` | accounts that it has failed again | failed attempts that may count for all |
 *
 * The members of both sets decide whether there are enough failures, so that no account decides for others. Counters
 * decide whether half of all calls fail:
 * - `f<n>`: failures.
 * - `s<n>`: reported successes.
 * - `t<m>`: successes that are assumed until other processes can have reported theirs, in a bucket m of two seconds.
 */
import { type FailureClass, hasFailed, isOfRoute } from './failure-class.ts';

export const SCOPES = ['shared', 'own'] as const;
export type CircuitScope = (typeof SCOPES)[number];

export interface Circuit {
  readonly [failures: `a${number}` | `b${number}`]: ReadonlySet<string>;
  readonly [calls: `f${number}` | `s${number}` | `t${number}`]: number;
  /** Present while open: until then no call passes, afterwards one probe. While a probe runs, the end of its claim. */
  readonly open_until?: number;
  readonly opened_at?: number;
  /** The failure that opened it last. */
  readonly opened_by?: string;
  readonly probe?: string;
  /** Shared only: the accounts of the last two probes, separated by a space. */
  readonly probers?: string;
  /**
   * The start of the probe that closed the circuit. Calls that started earlier give no information about the current
   * state of the route.
   */
  readonly since?: number;
  /** Set on `own` circuits only: the end of the time for which the route throttles the account (429). */
  readonly cool_until?: number;
}

type Values<T> = Readonly<Record<string, T>>;

/** An atomic change of one circuit. */
export interface CircuitChange {
  /** All of these hold, or nothing changes. */
  readonly when: {
    readonly absent?: string;
    readonly equal?: Values<number | string>;
    /** Absent, or at most that. */
    readonly atMost?: Values<number>;
    /** Sets of fewer than `MAX_MEMBERS`. */
    readonly notFull?: readonly string[];
  };
  readonly set?: Values<number | string>;
  /** Numbers are added to numbers, strings to sets. */
  readonly add?: Values<number | string>;
  readonly remove?: readonly string[];
}

/** Failures count for two buckets, 5 to 10 s; older ones are no evidence of the current state. */
export const BUCKET_MS = 5_000;
/** Other processes refresh their circuits within two of these intervals. */
const ASSUMED_MS = 2_000;
/** Fewer failures may be chance, and each costs a caller the time of a failed attempt. */
const THRESHOLD = 5;
/** Long enough to spare a failing route and its callers, and short enough to detect its recovery soon. */
export const COOLDOWN_MS = 15_000;
/** The delay until another account may probe after a probe that has shown nothing, and until a call that meets a probe may retry. */
const VERDICT_MS = 2_000;
/** The members of a set: more than the threshold needs, and few enough that an item stays under 1 KB, so a write costs one unit. */
export const MAX_MEMBERS = 16;
/** The maximum number of successes in a report. More would keep a route in use that has failed since. */
const MAX_SUCCESSES = 100;
/**
 * A process that observes one failure would observe two successes next, if the route works. After two failures, none
 * are assumed.
 */
const ASSUMED_SUCCESSES = 2;
/** The maximum number of reported successes for each failure: twice the number that keeps the circuit closed. */
const REPORTED_SUCCESSES = 2;
/** The time that a route is left alone after a 429: without a `Retry-After`, and the bounds of one that it sends. */
const COOLING_SECONDS = { default: 5, min: 1, max: 60 };
/** No id of a route has this sign. */
const OWN_SEPARATOR = '~';

/** The keys of a route's circuits for an account. */
export const keysOf = (routeId: string, account: string): Readonly<Record<CircuitScope, string>> => ({
  shared: routeId,
  own: routeId + OWN_SEPARATOR + account,
});

/** The route of a circuit, and whether it is an account's. */
export const routeOfKey = (key: string) => ({
  id: key.split(OWN_SEPARATOR)[0] ?? key,
  isOwn: key.includes(OWN_SEPARATOR),
});

const bucketOf = (timeMs: number, lengthMs = BUCKET_MS): number => Math.floor(timeMs / lengthMs);

/** The buckets that count: the one before, the current one, and the next one of a process whose clock is ahead. */
const windowAt = (nowMs: number, lengthMs = BUCKET_MS): readonly number[] =>
  [-1, 0, 1].map((step) => bucketOf(nowMs, lengthMs) + step);

/** Distinct members of a set. */
const membersOf = (circuit: Circuit, set: 'a' | 'b', nowMs: number): number =>
  new Set(windowAt(nowMs).flatMap((bucket) => [...(circuit[`${set}${bucket}`] ?? [])])).size;

const isEnough = (circuit: Circuit, nowMs: number): boolean =>
  membersOf(circuit, 'a', nowMs) + membersOf(circuit, 'b', nowMs) >= THRESHOLD;

const sumOf = (circuit: Circuit, count: 'f' | 's' | 't', buckets: readonly number[]): number =>
  buckets.reduce((sum, bucket) => sum + (circuit[`${count}${bucket}`] ?? 0), 0);

/**
 * Returns whether the circuit must open. A route that succeeds for more than half of all calls is better than no route.
 */
export function isFailing(circuit: Circuit, nowMs: number): boolean {
  const window = windowAt(nowMs);
  const assumed = sumOf(circuit, 't', windowAt(nowMs, ASSUMED_MS));
  return (
    !isOpen(circuit) &&
    isEnough(circuit, nowMs) &&
    sumOf(circuit, 'f', window) >= sumOf(circuit, 's', window) + assumed
  );
}

/** A success is worth reporting: also in a bucket whose failures alone count when the one before it is over. */
export const isInDoubt = (circuit: Circuit, nowMs: number): boolean =>
  !isOpen(circuit) &&
  [windowAt(nowMs), [bucketOf(nowMs)]].some(
    (buckets) => sumOf(circuit, 's', buckets) < sumOf(circuit, 'f', buckets) * REPORTED_SUCCESSES,
  );

export const isOpen = ({ open_until: until }: Circuit): boolean => until !== undefined;

/**
 * Returns the state of the circuit for a call of that account. `half-open`: the call may attempt the route if it claims
 * the probe. `shut`: it may not before `untilMs`.
 */
export function stateOf(circuit: Circuit, account: string, nowMs: number) {
  const { open_until: openUntilMs = 0, cool_until: coolUntilMs = 0, probe, probers } = circuit;
  const shutUntilMs = probe === undefined ? openUntilMs : Math.min(openUntilMs, nowMs + VERDICT_MS);
  // Whoever has probed in vain lets others go first: its own requests may be at fault.
  const turnMs = probers?.split(' ').includes(account) ? openUntilMs + COOLDOWN_MS : 0;
  const untilMs = Math.max(shutUntilMs, turnMs, coolUntilMs);
  const kind = untilMs > nowMs ? 'shut' : isOpen(circuit) ? 'half-open' : 'closed';
  return { kind, untilMs } as const;
}

/** Returns the names of buckets that started before that time. */
const bucketsBefore = (circuit: Circuit, timeMs: number): readonly string[] =>
  Object.keys(circuit).filter((name) => {
    const [, count, bucket] = /^([abfst])(\d+)$/.exec(name) ?? [];
    return Number(bucket) * (count === 't' ? ASSUMED_MS : BUCKET_MS) < timeMs;
  });

/** An attempt that has ended, or ends a probe of that id. */
export interface AttemptResult {
  readonly id: string;
  readonly scope: CircuitScope;
  readonly account: string;
  readonly outcome: FailureClass;
  readonly startMs: number;
  readonly nowMs: number;
}

/** The calls of this process over a circuit within two buckets. */
export interface LocalCounts {
  servedCount: number;
  /** Successes that it has not reported; less than 0 when reported ones broke off. */
  successes: number;
  /** Its last call. */
  lastFailed: boolean;
}

/** Undefined if the failure changes nothing. `own` is the account's own circuit, which counts a failure first. */
export function failureOf(
  circuit: Circuit,
  { id, scope, account, outcome, startMs, nowMs }: AttemptResult,
  { servedCount, successes, lastFailed }: Readonly<LocalCounts>,
  ownCircuit: Circuit,
): CircuitChange | undefined {
  const bucket = bucketOf(nowMs);
  const isAgain = membersOf(ownCircuit, 'b', nowMs) > 1;
  const sets =
    scope === 'shared' ? (['a', isAgain ? 'b' : 'a'] as const) : ([isOfRoute(outcome) ? 'b' : 'a'] as const);
  const member = scope === 'shared' ? account : id;
  const news = sets
    .map((set) => `${set}${bucket}` as const)
    .filter((name) => !circuit[name]?.has(member) && (circuit[name]?.size ?? 0) < MAX_MEMBERS);
  if (isOpen(circuit) || (news.length === 0 && !isEnough(circuit, nowMs))) return undefined;
  const assumed = lastFailed ? 0 : ASSUMED_SUCCESSES - servedCount;
  return {
    when: { absent: 'open_until', atMost: { since: startMs }, notFull: news },
    add: {
      ...Object.fromEntries(news.map((name) => [name, member])),
      [`f${bucket}`]: 1,
      [`s${bucket}`]: Math.min(successes, MAX_SUCCESSES),
      ...(assumed > 0 ? { [`t${bucketOf(nowMs, ASSUMED_MS)}`]: assumed } : {}),
    },
    // The clocks of processes differ by less than the third bucket.
    remove: bucketsBefore(circuit, nowMs - 3 * BUCKET_MS),
  };
}

/** Returns the change that reports the successes. Undefined unless it can keep the circuit closed. */
export const successOf = (circuit: Circuit, successes: number, nowMs: number): CircuitChange | undefined =>
  successes <= 0 || !isInDoubt(circuit, nowMs)
    ? undefined
    : {
        when: { absent: 'open_until' },
        add: { [`s${bucketOf(nowMs)}`]: Math.min(successes, MAX_SUCCESSES) },
      };

/** Opens a failing circuit. If several processes attempt it, one succeeds and reads its own id in `opened_by`. */
export const openingOf = ({ id, startMs, nowMs }: AttemptResult): CircuitChange => ({
  when: { absent: 'open_until', atMost: { since: startMs } },
  set: { open_until: nowMs + COOLDOWN_MS, opened_at: nowMs, opened_by: id },
});

/** Takes the probe of a half-open circuit if no other call has; the claim ends at `untilMs`. */
export function claimOf(
  { open_until: openUntilMs = 0, probers }: Circuit,
  { id, scope, account }: Pick<AttemptResult, 'id' | 'scope' | 'account'>,
  untilMs: number,
): CircuitChange {
  const otherProbers = probers?.split(' ').filter((other) => other !== account) ?? [];
  const proberChange = scope === 'shared' ? { probers: [...otherProbers.slice(-1), account].join(' ') } : {};
  return {
    when: { equal: { open_until: openUntilMs } },
    set: { open_until: untilMs, probe: id, ...proberChange },
  };
}

/**
 * Ends a probe. A successful probe closes the circuit. If the request may have caused the failure, a shared circuit
 * lets the next account probe after a short delay. The delay is necessary because a failed route may look like the
 * fault of each request.
 */
export function verdictOf(
  circuit: Circuit,
  { id, scope, outcome, startMs, nowMs }: AttemptResult,
): CircuitChange {
  const when = { equal: { probe: id } };
  if (outcome === 'serving') {
    const removedFields = [
      'open_until',
      'opened_at',
      'probe',
      'probers',
      ...bucketsBefore(circuit, Number.MAX_VALUE),
    ];
    return { when, set: { since: startMs }, remove: removedFields };
  }
  const isFailed = scope === 'own' ? hasFailed(outcome) : outcome === 'failing';
  const unclearMs = scope === 'own' ? 0 : VERDICT_MS;
  return { when, set: { open_until: nowMs + (isFailed ? COOLDOWN_MS : unclearMs) }, remove: ['probe'] };
}

/**
 * Returns the seconds for which no call attempts the route. `requestedSeconds` is the time that the route requests, if it
 * specifies one.
 */
export const coolingSeconds = (requestedSeconds: number | undefined): number =>
  Math.min(COOLING_SECONDS.max, Math.max(COOLING_SECONDS.min, requestedSeconds ?? COOLING_SECONDS.default));

/** Undefined if the account stays away about as long already. */
export function coolingOf(
  { cool_until: coolUntilMs = 0 }: Circuit,
  requestedSeconds: number | undefined,
  nowMs: number,
): CircuitChange | undefined {
  const untilMs = nowMs + Math.ceil(coolingSeconds(requestedSeconds) * 1000);
  const news = untilMs - COOLING_SECONDS.min * 1000;
  return coolUntilMs > news
    ? undefined
    : { when: { atMost: { cool_until: news } }, set: { cool_until: untilMs } };
}
