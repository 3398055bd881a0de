import { describe, expect, it } from '@jest/globals';
import {
  type Bucket,
  callsAt,
  withinWindow,
} from '../../../../lambdas/core/inference/circuit/call-window.ts';
import {
  afterClaim,
  afterFailure,
  afterProbe,
  afterRateLimit,
  afterSuccesses,
  type Circuit,
  COOLDOWN_MS,
  closedCircuit,
  isInDoubt,
  isSpent,
  stateOf,
  writtenBy,
} from '../../../../lambdas/core/inference/circuit/circuit.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
/** An account's own circuit: every failure of its calls counts. */
const closed = closedCircuit('route#0', 'a');

const successesAt = (nowMs: number, successes: number) => callsAt(nowMs, { successes });

const stateIn = (circuit: Circuit, nowMs: number) => stateOf(circuit, nowMs, 'a');

/** A failure of a try that took no time, in a process that saw the one before it fail. */
const fail = (circuit: Circuit, nowMs: number, unreported: readonly Bucket[] = [], failedBefore = true) =>
  afterFailure(circuit, { nowMs, begunMs: nowMs, account: 'a', failedBefore, seen: unreported, unreported });

/** The same in a process that has not seen the route fail. */
const failFirst = (circuit: Circuit, nowMs: number) => fail(circuit, nowMs, [], false);

/** Failures one after the other, so many milliseconds apart. */
function failing(count: number, stepMs = 0, circuit = closed): Circuit {
  let result = circuit;
  for (let made = 0; made < count; made += 1) result = fail(result, NOW_MS + made * stepMs);
  return result;
}

const opened = failing(5);
const halfOpenMs = NOW_MS + COOLDOWN_MS;
const claim = { id: 'claim', untilMs: halfOpenMs + 65_000 };
const probed = afterClaim(opened, halfOpenMs, 'a', claim);

describe('a closed circuit', () => {
  it('opens at the fifth failure, for the cooldown, and forgets the window', () => {
    expect(stateIn(failing(4), NOW_MS)).toEqual({ kind: 'closed' });
    expect(stateIn(opened, NOW_MS)).toEqual({ kind: 'shut', untilMs: halfOpenMs });
    expect(opened.buckets).toEqual([]);
    expect(stateIn(opened, halfOpenMs - 1)).toEqual({ kind: 'shut', untilMs: halfOpenMs });
    expect(stateIn(opened, halfOpenMs)).toEqual({ kind: 'half-open' });
  });

  it('counts only the failures of the last ten seconds', () => {
    expect(stateIn(failing(20, 2_500), NOW_MS + 50_000).kind).toBe('closed');
    expect(failing(20, 2_500).buckets).toHaveLength(4);
    expect(stateIn(failing(5, 1_900), NOW_MS + 4 * 1_900).kind).toBe('shut');
  });

  it.each([
    ['as many succeeded', 5, 'shut'],
    ['one more succeeded', 6, 'closed'],
  ])('at five failures, when %s', (_, successes, kind) => {
    const told = fail(closed, NOW_MS, [successesAt(NOW_MS - 4_000, successes)]);
    expect(stateIn(failing(4, 0, told), NOW_MS).kind).toBe(kind);
  });

  it('takes the first failure of a process for one call in three, until others can have told of theirs', () => {
    let circuit = closed;
    for (let process = 0; process < 20; process += 1) circuit = failFirst(circuit, NOW_MS);
    expect(stateIn(circuit, NOW_MS).kind).toBe('closed');
    expect(stateIn(failFirst(circuit, NOW_MS + 3_999), NOW_MS + 3_999).kind).toBe('closed');
    expect(stateIn(failFirst(circuit, NOW_MS + 4_000), NOW_MS + 4_000).kind).toBe('shut');
    // Or until each of them has seen another one.
    for (let call = 0; call < 19; call += 1) circuit = fail(circuit, NOW_MS);
    expect(stateIn(circuit, NOW_MS).kind).toBe('closed');
    expect(stateIn(fail(circuit, NOW_MS), NOW_MS).kind).toBe('shut');
  });

  it('opens at the fifth failure of a process that is alone', () => {
    const first = failFirst(closed, NOW_MS);
    expect(stateIn(failing(3, 0, first), NOW_MS).kind).toBe('closed');
    expect(stateIn(failing(4, 0, first), NOW_MS).kind).toBe('shut');
  });

  it('assumes no successes where the process has seen some itself', () => {
    const told = fail(closed, NOW_MS, [successesAt(NOW_MS, 1)], false);
    expect(told.buckets).toEqual([{ startMs: NOW_MS, failures: 1, successes: 1, assumed: 1 }]);
    expect(fail(closed, NOW_MS, [successesAt(NOW_MS, 9)], false).buckets).toMatchObject([{ assumed: 0 }]);
  });

  it('does not hear of successes that are older than the window', () => {
    const told = fail(closed, NOW_MS, [successesAt(NOW_MS - 12_000, 1_000_000)]);
    expect(stateIn(failing(4, 0, told), NOW_MS).kind).toBe('shut');
  });

  it('takes back successes that broke off after they were told, and not more than it was told', () => {
    const told = fail(closed, NOW_MS, [successesAt(NOW_MS, 2)]);
    const taken = (count: number) => fail(told, NOW_MS, [successesAt(NOW_MS, -count)]).buckets;
    expect(taken(1)).toMatchObject([{ failures: 2, successes: 1 }]);
    expect(taken(3)).toMatchObject([{ failures: 2, successes: 0 }]);
  });

  it('is in doubt while failures are not outweighed twofold, and takes successes only then', () => {
    expect(isInDoubt(closed, NOW_MS)).toBe(false);
    const doubted = failing(2);
    expect(isInDoubt(doubted, NOW_MS)).toBe(true);
    const half = afterSuccesses(doubted, NOW_MS, [successesAt(NOW_MS, 3)]);
    expect(isInDoubt(half, NOW_MS)).toBe(true);
    const sure = afterSuccesses(half, NOW_MS, [successesAt(NOW_MS, 1)]);
    expect(isInDoubt(sure, NOW_MS)).toBe(false);
    expect(afterSuccesses(sure, NOW_MS, [successesAt(NOW_MS, 1)])).toBe(sure);
    expect(isInDoubt(doubted, NOW_MS + 12_000)).toBe(false);
    expect(isInDoubt(opened, halfOpenMs)).toBe(false);
  });

  it('is spent when nothing of its window or its cooling is left', () => {
    expect(isSpent(failing(1), NOW_MS)).toBe(false);
    expect(isSpent(failing(1), NOW_MS + 10_000)).toBe(true);
    expect(isSpent(afterRateLimit(closed, NOW_MS, 'a', 30), NOW_MS + 29_000)).toBe(false);
    expect(isSpent(afterRateLimit(closed, NOW_MS, 'a', 30), NOW_MS + 30_000)).toBe(true);
    expect(isSpent(opened, halfOpenMs + 59_999)).toBe(false);
    // Its account has not come back, and others may have its place.
    expect(isSpent(opened, halfOpenMs + 60_000)).toBe(true);
    expect(isSpent({ ...opened, account: undefined }, NOW_MS + 3_600_000)).toBe(false);
  });
});

describe('the window', () => {
  it('adds up what was told of the same stretch, and drops what lies outside, behind and ahead', () => {
    const early = successesAt(NOW_MS - 4_000, 2);
    const buckets = withinWindow(
      [early, successesAt(NOW_MS - 20_000, 9)],
      [
        callsAt(NOW_MS, { failures: 1 }),
        early,
        callsAt(NOW_MS + 1, { failures: 1 }),
        successesAt(NOW_MS + 3_600_000, 9),
      ],
      NOW_MS,
    );
    expect(buckets).toEqual([callsAt(NOW_MS - 4_000, { successes: 4 }), callsAt(NOW_MS, { failures: 2 })]);
  });

  it('is small whatever is told', () => {
    const told = Array.from({ length: 1_000 }, (_, index) => callsAt(NOW_MS + index * 100, { failures: 1 }));
    expect(withinWindow(told, told, NOW_MS + 50_000).length).toBeLessThanOrEqual(10);
  });
});

describe('an open circuit', () => {
  it('is not changed by failures of calls that began before it opened, nor by successes', () => {
    expect(fail(opened, NOW_MS + 5_000)).toBe(opened);
    expect(fail(opened, halfOpenMs + 5_000)).toBe(opened);
    expect(afterSuccesses(opened, NOW_MS, [successesAt(NOW_MS, 10)])).toBe(opened);
  });

  it('gives its probe to one claim, which lapses without a verdict', () => {
    expect(afterClaim(opened, halfOpenMs - 1, 'a', claim)).toBe(opened);
    expect(stateIn(probed, halfOpenMs).kind).toBe('shut');
    const other = { id: 'other', untilMs: claim.untilMs + 65_000 };
    expect(afterClaim(probed, claim.untilMs - 1, 'a', other)).toBe(probed);
    expect(stateIn(probed, claim.untilMs)).toEqual({ kind: 'half-open' });
    expect(afterClaim(probed, claim.untilMs, 'a', other).probe).toEqual(other);
  });

  it('tells callers to come back for the verdict, not when the claim lapses', () => {
    expect(stateIn(probed, halfOpenMs)).toEqual({ kind: 'shut', untilMs: halfOpenMs + 2_000 });
  });

  const verdict = (result: 'served' | 'failed' | 'unclear', claimId = 'claim', begunMs = halfOpenMs) => ({
    claimId,
    begunMs,
    result,
  });

  it('closes when its probe is served, and then leaves earlier tries out of the count', () => {
    const served = afterProbe(probed, halfOpenMs + 800, verdict('served'));
    expect(stateIn(served, halfOpenMs + 800)).toEqual({ kind: 'closed' });
    const nowMs = halfOpenMs + 40_000;
    const late = (begunMs: number) =>
      afterFailure(served, { nowMs, begunMs, account: 'a', failedBefore: true, seen: [], unreported: [] });
    expect(late(halfOpenMs - 1)).toBe(served);
    expect(late(halfOpenMs).buckets).toHaveLength(1);
  });

  it('stays open for another cooldown when its probe fails', () => {
    const failed = afterProbe(probed, halfOpenMs + 800, verdict('failed'));
    expect(stateIn(failed, halfOpenMs + 800)).toEqual({
      kind: 'shut',
      untilMs: halfOpenMs + 800 + COOLDOWN_MS,
    });
    expect(failed.probe).toBeUndefined();
  });

  it('offers its probe again when a call told nothing of the route', () => {
    expect(stateIn(afterProbe(probed, halfOpenMs + 1, verdict('unclear')), halfOpenMs + 1)).toEqual({
      kind: 'half-open',
    });
  });

  it('takes only good news of a probe whose claim has passed to another', () => {
    expect(afterProbe(probed, halfOpenMs + 1, verdict('failed', 'lapsed'))).toBe(probed);
    expect(afterProbe(probed, halfOpenMs + 1, verdict('unclear', 'lapsed'))).toBe(probed);
    expect(afterProbe(probed, halfOpenMs + 1, verdict('served', 'lapsed')).openUntilMs).toBe(0);
  });

  it('takes nothing of a probe that began before the circuit last closed, or ended after it closed', () => {
    const again = failing(5, 0, { ...closed, sinceMs: NOW_MS });
    expect(afterProbe(again, NOW_MS, verdict('served', 'claim', NOW_MS - 1))).toBe(again);
    expect(afterProbe(closed, NOW_MS, verdict('failed'))).toBe(closed);
  });
});

describe('a shared circuit', () => {
  const shared = closedCircuit('route');
  const failBy = (circuit: Circuit, account: string, nowMs = NOW_MS) =>
    afterFailure(circuit, {
      nowMs,
      begunMs: nowMs,
      account,
      failedBefore: true,
      seen: [],
      unreported: [],
    });
  const failures = (accounts: string, circuit = shared) =>
    [...accounts].reduce((c, by) => failBy(c, by), circuit);

  it.each([
    ['aaaaaaaaaaaaaaa', 2],
    ['abababababababa', 4],
    ['aabb', 4],
  ])('counts of the failures of %s only %s', (accounts, counted) => {
    const circuit = failures(accounts);
    expect(stateIn(circuit, NOW_MS).kind).toBe('closed');
    expect(circuit.buckets).toMatchObject([{ failures: counted }]);
    expect(failBy(circuit, 'a')).toBe(circuit);
  });

  it.each(['aabbc', 'abcab', 'abcde'])('opens to all at the failures of %s', (accounts) => {
    const circuit = failures(accounts);
    expect(stateOf(circuit, NOW_MS, 'z')).toEqual({ kind: 'shut', untilMs: halfOpenMs });
    expect(circuit).toMatchObject({ buckets: [], failed: [] });
  });

  it('counts an account again when its failures have left the window, and not before', () => {
    const early = failures('aa');
    expect(failBy(early, 'a', NOW_MS + 9_999)).toBe(early);
    expect(failBy(early, 'a', NOW_MS + 10_000).failed).toHaveLength(1);
  });

  it('opens at a failure that does not count, when successes are no longer assumed beside the others', () => {
    const first = (circuit: Circuit, account: string) =>
      afterFailure(circuit, {
        nowMs: NOW_MS,
        begunMs: NOW_MS,
        account,
        failedBefore: false,
        seen: [],
        unreported: [],
      });
    const circuit = [...'aabbcc'].reduce(first, shared);
    expect(stateIn(circuit, NOW_MS).kind).toBe('closed');
    expect(stateIn(failBy(circuit, 'a', NOW_MS + 3_999), NOW_MS + 3_999).kind).toBe('closed');
    expect(stateIn(failBy(circuit, 'a', NOW_MS + 4_000), NOW_MS + 4_000).kind).toBe('shut');
  });

  it('remembers few accounts, however many fail', () => {
    const served = { ...shared, buckets: [successesAt(NOW_MS, 1_000)] };
    const circuit = failures('abcdefghijklmnopqrstuvwxyz', served);
    expect(circuit.failed.map(({ account }) => account).join('')).toBe('uvwxyz');
    expect(circuit.buckets).toMatchObject([{ failures: 26 }]);
  });

  it('of limits remembers those that last longest, and cools until three accounts have one', () => {
    const limits: readonly [string, number][] = [
      ['a', 60],
      ['b', 50],
      ['a', 10],
      ['c', 5],
      ['d', 20],
    ];
    const cooled = limits.map((_, index) =>
      limits.slice(0, index + 1).reduce((c, [by, seconds]) => afterRateLimit(c, NOW_MS, by, seconds), shared),
    );
    expect(cooled.map(({ coolUntilMs }) => Math.max(0, coolUntilMs - NOW_MS))).toEqual([
      0, 0, 0, 5_000, 20_000,
    ]);
    expect(cooled.at(-1)?.limited.map(({ account }) => account)).toEqual(['a', 'b', 'd']);
    expect(isSpent(cooled[0] ?? shared, NOW_MS + 59_999)).toBe(false);
  });
});

describe('a route that had enough', () => {
  const coolingS = (retryAfterSeconds: number | undefined) => {
    const { coolUntilMs } = afterRateLimit(closed, NOW_MS, 'a', retryAfterSeconds);
    return (coolUntilMs - NOW_MS) / 1000;
  };

  it.each([
    [undefined, 5],
    [0, 1],
    [1, 1],
    [2.5, 2.5],
    [30, 30],
    [60, 60],
    [3_600, 60],
  ])('and says %s seconds is left alone for %s', (said, seconds) => {
    expect(coolingS(said)).toBe(seconds);
  });

  it('is no worse for it: when it is over the circuit is as it was', () => {
    const cooled = afterRateLimit(failing(4), NOW_MS, 'a', 5);
    expect(stateIn(cooled, NOW_MS)).toEqual({ kind: 'shut', untilMs: NOW_MS + 5_000 });
    expect(stateIn(cooled, NOW_MS + 5_000)).toEqual({ kind: 'closed' });
    expect(cooled.buckets).toEqual(failing(4).buckets);
  });

  it('is written down once for many refusals at once', () => {
    const cooled = afterRateLimit(closed, NOW_MS, 'a', 30);
    expect(afterRateLimit(cooled, NOW_MS + 999, 'a', 30)).toBe(cooled);
    expect(afterRateLimit(cooled, NOW_MS, 'a', undefined)).toBe(cooled);
    expect(afterRateLimit(cooled, NOW_MS + 1_000, 'a', 30)).not.toBe(cooled);
  });

  it('waits for both, its cooling and its cooldown', () => {
    expect(stateIn(afterRateLimit(opened, NOW_MS, 'a', 60), halfOpenMs)).toEqual({
      kind: 'shut',
      untilMs: NOW_MS + 60_000,
    });
    expect(stateIn(afterRateLimit(opened, NOW_MS, 'a', 60), NOW_MS + 60_000)).toEqual({ kind: 'half-open' });
  });
});

it('a written circuit has the next version and remembers its latest writers, not all', () => {
  let circuit = closed;
  for (let write = 1; write <= 100; write += 1) circuit = writtenBy(`w${write}`, circuit);
  expect(circuit.version).toBe(100);
  expect(circuit.writers).toHaveLength(14);
  expect(circuit.writers.at(-1)).toBe('w100');
});
