import { describe, expect, it } from '@jest/globals';
import type { Bucket } from '../../../../lambdas/core/inference/circuit/call-window.ts';
import {
  afterClaim,
  afterTry,
  COOLDOWN_MS,
  circuitsOf,
  closedCircuits,
  type EndedTry,
  isInDoubt,
  type RouteCircuits,
  spentMs,
  stateOf,
  writtenBy,
} from '../../../../lambdas/core/inference/circuit/circuit.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const closed = closedCircuits('route');

interface Ending extends Partial<Omit<EndedTry, 'seen'>> {
  readonly successes?: number;
  readonly lastFailed?: boolean;
}

/** Of a try by account `a` that took no time, in a process that saw the call before it fail. */
function end(route: RouteCircuits, { successes = 0, lastFailed = true, ...ending }: Ending): RouteCircuits {
  const { nowMs = NOW_MS, account = 'a', outcome = 'failing' } = ending;
  const seen = { startMs: nowMs, served: Math.max(0, successes), successes, lastFailed };
  return afterTry(route, {
    allowed: true,
    routeId: route.id,
    account,
    begunMs: nowMs,
    retryAfterSeconds: undefined,
    ...ending,
    nowMs,
    outcome,
    seen: { shared: seen, own: seen },
  });
}

/** Failures one after the other, by these accounts. */
const failures = (accounts: string, route = closed, ending: Ending = {}) =>
  [...accounts].reduce((circuits, account) => end(circuits, { ...ending, account }), route);

const stateIn = (route: RouteCircuits, nowMs = NOW_MS, account = 'a') => stateOf(route, account, nowMs);
/** The sums of its buckets. */
const callsOf = (window: readonly Bucket[] = []) => ({
  failures: window.reduce((sum, { failures }) => sum + failures, 0),
  successes: window.reduce((sum, { successes }) => sum + successes, 0),
  assumed: window.reduce((sum, { assumed }) => sum + assumed, 0),
});
const windowIn = (route: RouteCircuits, account = 'a') => callsOf(route.own[account]?.window);
const isDoubtful = (route: RouteCircuits, nowMs = NOW_MS) =>
  circuitsOf(route, 'a').some((circuit) => isInDoubt(circuit, nowMs));

const opened = failures('aaaaa');
const halfOpenMs = NOW_MS + COOLDOWN_MS;
const claim = { id: 'claim', untilMs: halfOpenMs + 65_000 };
const probed = afterClaim(opened, { account: 'a', nowMs: halfOpenMs }, claim);

describe('an account’s own circuit', () => {
  it('opens at the fifth failure, for the cooldown, for that account alone', () => {
    expect(stateIn(failures('aaaa')).kind).toBe('closed');
    expect(stateIn(opened)).toEqual({ kind: 'shut', untilMs: halfOpenMs });
    expect(stateIn(opened, NOW_MS, 'b').kind).toBe('closed');
    expect(stateIn(opened, halfOpenMs - 1).kind).toBe('shut');
    expect(stateIn(opened, halfOpenMs).kind).toBe('half-open');
    expect(opened.own.a).toMatchObject({ openUntilMs: halfOpenMs, window: undefined });
  });

  it('counts the failures of ten seconds, and those of another process whose clock is ahead', () => {
    const four = failures('aaaa');
    expect(stateIn(end(four, { nowMs: NOW_MS + 9_999 }), NOW_MS + 9_999).kind).toBe('shut');
    expect(windowIn(end(four, { nowMs: NOW_MS + 10_000 }))).toMatchObject({ failures: 1 });
    expect(stateIn(end(four, { nowMs: NOW_MS - 3_000 })).kind).toBe('shut');
    expect(windowIn(end(four, { nowMs: NOW_MS - 3_600_000 }))).toMatchObject({ failures: 1 });
  });

  it.each([
    ['as many succeeded', 5, 'shut'],
    ['one more succeeded', 6, 'closed'],
  ])('at five failures, when %s', (_, successes, kind) => {
    expect(stateIn(failures('aaaa', end(closed, { successes }))).kind).toBe(kind);
  });

  it('takes the first failure of a process for one call in three, until others can have reported theirs', () => {
    let route = failures('a'.repeat(20), closed, { lastFailed: false });
    expect(stateIn(route).kind).toBe('closed');
    const failedAt = (ms: number) =>
      stateIn(end(route, { lastFailed: false, nowMs: NOW_MS + ms }), NOW_MS + ms);
    expect(failedAt(3_999).kind).toBe('closed');
    expect(failedAt(4_000).kind).toBe('shut');
    // Or until each of them has seen another one.
    route = failures('a'.repeat(19), route);
    expect(stateIn(route).kind).toBe('closed');
    expect(stateIn(end(route, {})).kind).toBe('shut');
  });

  it('opens at the fifth failure of a process that is alone', () => {
    const first = end(closed, { lastFailed: false });
    expect(stateIn(failures('aaa', first)).kind).toBe('closed');
    expect(stateIn(failures('aaaa', first)).kind).toBe('shut');
  });

  it('assumes no successes where the process has seen some itself', () => {
    const assumed = (successes: number) => windowIn(end(closed, { lastFailed: false, successes })).assumed;
    expect([0, 1, 2, 9].map(assumed)).toEqual([2, 1, 0, 0]);
  });

  it('takes back successes that broke off after they were reported, and not more than there are', () => {
    const served = end(closed, { successes: 2 });
    expect(windowIn(end(served, { successes: -1 }))).toMatchObject({ failures: 2, successes: 1 });
    expect(windowIn(end(served, { successes: -3 }))).toMatchObject({ failures: 2, successes: 0 });
  });

  it('is in doubt while failures are not outweighed twofold, and takes successes only then', () => {
    const serve = (route: RouteCircuits, successes: number) => end(route, { outcome: 'serving', successes });
    expect(isDoubtful(closed)).toBe(false);
    expect(serve(closed, 9)).toBe(closed);
    const doubted = failures('aa');
    expect(isDoubtful(doubted)).toBe(true);
    expect(serve(doubted, 0)).toBe(doubted);
    const half = serve(doubted, 3);
    expect(isDoubtful(half)).toBe(true);
    const sure = serve(half, 1);
    expect(isDoubtful(sure)).toBe(false);
    expect(serve(sure, 1)).toBe(sure);
    expect(isDoubtful(doubted, NOW_MS + 10_000)).toBe(false);
    expect(isDoubtful(opened, halfOpenMs)).toBe(false);
  });
});

describe('an open circuit', () => {
  const conclude = (route: RouteCircuits, ending: Ending) =>
    end(route, { nowMs: halfOpenMs + 800, begunMs: halfOpenMs, claimId: 'claim', ...ending });

  it('is not changed by failures of calls that began before it opened, nor by successes', () => {
    const route = failures('aabbcc');
    expect(stateIn(route, NOW_MS, 'z').kind).toBe('shut');
    const own = end(route, { nowMs: NOW_MS + 5_000 });
    expect(own.shared).toBe(route.shared);
    expect(end(opened, { nowMs: NOW_MS + 5_000 }).own).toBe(opened.own);
    expect(end(opened, { outcome: 'serving', successes: 10 }).own).toBe(opened.own);
  });

  it('gives its probe to one claim, which lapses without a verdict', () => {
    expect(afterClaim(opened, { account: 'a', nowMs: halfOpenMs - 1 }, claim)).toBe(opened);
    // Callers are to try again for the verdict, not when the claim lapses.
    expect(stateIn(probed, halfOpenMs)).toEqual({ kind: 'shut', untilMs: halfOpenMs + 2_000 });
    const other = { id: 'other', untilMs: claim.untilMs + 65_000 };
    const claimAt = (nowMs: number) => afterClaim(probed, { account: 'a', nowMs }, other);
    expect(claimAt(claim.untilMs - 1)).toBe(probed);
    expect(stateIn(probed, claim.untilMs).kind).toBe('half-open');
    expect(claimAt(claim.untilMs).own.a?.probe).toEqual(other);
  });

  it('closes when its probe is served, and then leaves earlier tries out of the count', () => {
    const served = conclude(probed, { outcome: 'serving' });
    expect(stateIn(served, halfOpenMs + 800).kind).toBe('closed');
    const late = (begunMs: number) => windowIn(end(served, { nowMs: halfOpenMs + 40_000, begunMs }));
    expect(late(halfOpenMs - 1)).toMatchObject({ failures: 0 });
    expect(late(halfOpenMs)).toMatchObject({ failures: 1 });
  });

  it.each([
    ['failing', COOLDOWN_MS],
    ['doubtful', COOLDOWN_MS],
    ['neutral', 0],
  ] as const)('whose probe ends as %s may be probed again in %d ms', (outcome, ms) => {
    const ended = conclude(probed, { outcome });
    const openedMs = halfOpenMs - COOLDOWN_MS;
    expect(ended.own.a).toEqual({ openUntilMs: halfOpenMs + 800 + ms, openedMs, probers: [] });
  });

  it('takes nothing from a probe whose claim has passed to another', () => {
    for (const outcome of ['failing', 'neutral', 'serving'] as const)
      expect(conclude(probed, { outcome, claimId: 'lapsed' }).own).toBe(probed.own);
  });
});

describe('a shared circuit', () => {
  it.each([
    ['aaaaaaaaaaaaaaa', 2],
    ['abababababababa', 4],
    ['aabb', 4],
  ])('counts of the failures of %s only %s', (accounts, counted) => {
    const route = failures(accounts);
    expect(stateIn(route, NOW_MS, 'z').kind).toBe('closed');
    expect(callsOf(route.shared.window)).toMatchObject({ failures: counted });
    expect(end(route, {}).shared).toBe(route.shared);
  });

  it.each(['aabbc', 'abcab', 'abcde'])('opens to all at the failures of %s', (accounts) => {
    expect(stateIn(failures(accounts), NOW_MS, 'z')).toEqual({ kind: 'shut', untilMs: halfOpenMs });
  });

  it('opens at a failure that does not count, when successes are no longer assumed beside the others', () => {
    const route = failures('aabbcc', closed, { lastFailed: false });
    expect(stateIn(route, NOW_MS, 'z').kind).toBe('closed');
    const failedAt = (ms: number) => stateIn(end(route, { nowMs: NOW_MS + ms }), NOW_MS + ms, 'z').kind;
    expect(failedAt(3_999)).toBe('closed');
    expect(failedAt(4_000)).toBe('shut');
  });

  it('remembers few accounts, however many fail, and keeps eight of their circuits', () => {
    const route = failures('abcdefghijklmnopqrstuvwxyz', end(closed, { successes: 1_000 }));
    expect(route.shared.window).toMatchObject([{ failures: 27, failedBy: [...'uvwxyz'] }]);
    expect(Object.keys(route.own).join('')).toBe('abcdefgh');
    expect(Object.keys(end(route, { account: 'z', nowMs: NOW_MS + COOLDOWN_MS }).own).join('')).toBe('z');
  });

  it('of limits takes the one that three accounts have', () => {
    const limits: readonly [string, number][] = [
      ['a', 60],
      ['b', 50],
      ['a', 10],
      ['c', 5],
      ['d', 20],
    ];
    let route = closed;
    const cooled = limits.map(([account, retryAfterSeconds]) => {
      route = end(route, { outcome: 'limited', account, retryAfterSeconds });
      return Math.max(0, stateIn(route, NOW_MS, 'z').untilMs - NOW_MS);
    });
    expect(cooled).toEqual([0, 0, 0, 5_000, 20_000]);
    expect(spentMs(route)).toBe(NOW_MS + 60_000 + COOLDOWN_MS);
  });
});

describe('a route that answers 429', () => {
  const limit = (retryAfterSeconds?: number, nowMs = NOW_MS, route = closed) =>
    end(route, { outcome: 'limited', retryAfterSeconds, nowMs });

  it.each([
    [undefined, 5],
    [0, 1],
    [2.5, 2.5],
    [60, 60],
    [3_600, 60],
  ])('and asks for %s seconds is left alone for %s', (asked, seconds) => {
    expect(stateIn(limit(asked)).untilMs - NOW_MS).toBe(seconds * 1_000);
  });

  it('is no worse for it: when it is over the circuit is as it was', () => {
    const cooled = limit(5, NOW_MS, failures('aaaa'));
    expect(stateIn(cooled)).toEqual({ kind: 'shut', untilMs: NOW_MS + 5_000 });
    expect(stateIn(cooled, NOW_MS + 5_000).kind).toBe('closed');
    expect(windowIn(cooled)).toEqual(windowIn(failures('aaaa')));
    expect(stateIn(limit(60, NOW_MS, opened), halfOpenMs)).toEqual({
      kind: 'shut',
      untilMs: NOW_MS + 60_000,
    });
  });

  it('is written once for many refusals at once', () => {
    const cooled = limit(30);
    expect(limit(30, NOW_MS + 999, cooled)).toBe(cooled);
    expect(limit(undefined, NOW_MS, cooled)).toBe(cooled);
    expect(limit(30, NOW_MS + 1_000, cooled)).not.toBe(cooled);
  });
});

it('a write has the next version and remembers the latest writers, not all', () => {
  let route = closed;
  for (let write = 1; write <= 100; write += 1) route = writtenBy(`w${write}`, route);
  expect(route.version).toBe(100);
  expect(route.writers).toHaveLength(14);
  expect(route.writers.at(-1)).toBe('w100');
});
