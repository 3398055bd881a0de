/**
 * One circuit as it is stored, and its changes. A change adds to sets, or sets times under a condition: it may be repeated,
 * and those of several processes may come in any order. Times are milliseconds since the Unix epoch.
 *
 * A route has a circuit for all accounts (`shared`) and one for each account that it has failed (`own`).
 *
 * | Set of bucket n | `shared` | `own` |
 * |---|---|---|
 * | `a<n>` | accounts that the route has failed | failed attempts that count for this account alone |
 * | `b<n>` | accounts that it has failed again | failed attempts that may count for all |
 *
 * Members of both sets decide whether there are enough failures, so that no account speaks for others. Whether they are half
 * of all calls is decided by numbers: `f<n>` failures, `s<n>` reported successes, and `t<m>` successes that are assumed until
 * other processes can have reported theirs, in a bucket m of two seconds.
 */
import { type FailureClass, hasFailed, isOfRoute } from './failure-class.ts';

export const SCOPES = ['shared', 'own'] as const;
export type CircuitScope = (typeof SCOPES)[number];

export interface Circuit {
  readonly [failures: `a${number}` | `b${number}`]: ReadonlySet<string>;
  readonly [calls: `f${number}` | `s${number}` | `t${number}`]: number;
  /** Present while open: until then no call passes, afterwards one probe. While a probe runs, the end of its lease. */
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
  /** Own only: the route asked the account to stay away until then (429). */
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
/** Within two of these, other processes have looked. */
const ASSUMED_MS = 2_000;
/** Fewer failures may be chance, and each costs a caller the time of a failed attempt. */
const THRESHOLD = 5;
/** Long enough to spare a failing route and its callers, short enough that its recovery is soon found. */
export const COOLDOWN_MS = 15_000;
/** The delay until another account may probe after a probe that has shown nothing, and until a call that meets a probe may retry. */
const VERDICT_MS = 2_000;
/** The members of a set: more than the threshold needs, and few enough that an item stays under 1 KB, so a write costs one unit. */
export const MAX_MEMBERS = 16;
/** The successes of a report: more would keep a route in use that has died since. */
const MAX_SUCCESSES = 100;
/** A process that sees one call fail would see the next two served, if the route works; not if it saw two fail. */
const ASSUMED_SUCCESSES = 2;
/** Successes are reported up to this many a failure: twice what keeps the circuit closed. */
const REPORTED_SUCCESSES = 2;
/** The time that a route is left alone after a 429: without a `Retry-After`, and the bounds of one that it sends. */
const COOLING_SECONDS = { unsaid: 5, least: 1, most: 60 };
/** No id of a route has this sign. */
const OWN = '~';

/** The keys of a route's circuits for an account. */
export const keysOf = (routeId: string, account: string): Readonly<Record<CircuitScope, string>> => ({
  shared: routeId,
  own: routeId + OWN + account,
});

/** The route of a circuit, and whether it is an account's. */
export const routeOfKey = (key: string) => ({ id: key.split(OWN)[0] ?? key, isOwn: key.includes(OWN) });

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

/** A route that serves more than every other call is better than none. */
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
 * Returns the state of the circuit for a call of that account. `half-open`: it may try the route if it takes the probe. `shut`: it may
 * not before `untilMs`.
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

/** The names of buckets that began before that time. */
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
  readonly begunMs: number;
  readonly nowMs: number;
}

/** The calls of this process over a circuit within two buckets. */
export interface LocalCalls {
  readonly served: number;
  /** Successes that it has not reported; less than 0 when reported ones broke off. */
  readonly successes: number;
  /** Its last call. */
  readonly lastFailed: boolean;
}

/** Undefined if the failure changes nothing. `own` is the account's own circuit, which counts a failure first. */
export function failureOf(
  circuit: Circuit,
  { id, scope, account, outcome, begunMs, nowMs }: AttemptResult,
  { served, successes, lastFailed }: LocalCalls,
  own: Circuit,
): CircuitChange | undefined {
  const bucket = bucketOf(nowMs);
  const isAgain = membersOf(own, 'b', nowMs) > 1;
  const sets =
    scope === 'shared' ? (['a', isAgain ? 'b' : 'a'] as const) : ([isOfRoute(outcome) ? 'b' : 'a'] as const);
  const member = scope === 'shared' ? account : id;
  const news = sets
    .map((set) => `${set}${bucket}` as const)
    .filter((name) => !circuit[name]?.has(member) && (circuit[name]?.size ?? 0) < MAX_MEMBERS);
  if (isOpen(circuit) || (news.length === 0 && !isEnough(circuit, nowMs))) return undefined;
  const assumed = lastFailed ? 0 : ASSUMED_SUCCESSES - served;
  return {
    when: { absent: 'open_until', atMost: { since: begunMs }, notFull: news },
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

/** Undefined unless it can keep the circuit closed. */
export const successOf = (circuit: Circuit, successes: number, nowMs: number): CircuitChange | undefined =>
  successes <= 0 || !isInDoubt(circuit, nowMs)
    ? undefined
    : {
        when: { absent: 'open_until' },
        add: { [`s${bucketOf(nowMs)}`]: Math.min(successes, MAX_SUCCESSES) },
      };

/** Opens a circuit that is failing. Of several processes one does it, and finds itself in `opened_by`. */
export const openingOf = ({ id, begunMs, nowMs }: AttemptResult): CircuitChange => ({
  when: { absent: 'open_until', atMost: { since: begunMs } },
  set: { open_until: nowMs + COOLDOWN_MS, opened_at: nowMs, opened_by: id },
});

/** Takes the probe of a half-open circuit if no other call has, until its lease ends. */
export function claimOf(
  { open_until: seen = 0, probers }: Circuit,
  { id, scope, account }: Pick<AttemptResult, 'id' | 'scope' | 'account'>,
  untilMs: number,
): CircuitChange {
  const others = probers?.split(' ').filter((other) => other !== account) ?? [];
  const turns = scope === 'shared' ? { probers: [...others.slice(-1), account].join(' ') } : {};
  return { when: { equal: { open_until: seen } }, set: { open_until: untilMs, probe: id, ...turns } };
}

/**
 * Ends a probe. A served one closes the circuit. One whose failure may be the request's leaves a shared circuit to the next
 * account, but soon and not at once: a route may be dead in ways that look like the fault of each request.
 */
export function verdictOf(
  circuit: Circuit,
  { id, scope, outcome, begunMs, nowMs }: AttemptResult,
): CircuitChange {
  const when = { equal: { probe: id } };
  if (outcome === 'serving') {
    const gone = ['open_until', 'opened_at', 'probe', 'probers', ...bucketsBefore(circuit, Number.MAX_VALUE)];
    return { when, set: { since: begunMs }, remove: gone };
  }
  const isFailed = scope === 'own' ? hasFailed(outcome) : outcome === 'failing';
  const unclearMs = scope === 'own' ? 0 : VERDICT_MS;
  return { when, set: { open_until: nowMs + (isFailed ? COOLDOWN_MS : unclearMs) }, remove: ['probe'] };
}

/** For how many seconds a route is left alone that asked for this many, or did not say. */
export const coolingSeconds = (asked: number | undefined): number =>
  Math.min(COOLING_SECONDS.most, Math.max(COOLING_SECONDS.least, asked ?? COOLING_SECONDS.unsaid));

/** Undefined if the account stays away about as long already. */
export function coolingOf(
  { cool_until: known = 0 }: Circuit,
  askedSeconds: number | undefined,
  nowMs: number,
): CircuitChange | undefined {
  const untilMs = nowMs + Math.ceil(coolingSeconds(askedSeconds) * 1000);
  const news = untilMs - COOLING_SECONDS.least * 1000;
  return known > news ? undefined : { when: { atMost: { cool_until: news } }, set: { cool_until: untilMs } };
}
