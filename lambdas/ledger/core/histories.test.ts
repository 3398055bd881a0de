import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { seedOf } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { MAX_HOLDS } from '../store/wallet/item.ts';
import { FAULTS, type Fault, type FaultPlan } from '../testing/failing-process.ts';
import {
  brokenCaps,
  type CallPlan,
  type History,
  historyOf,
  ledgerViolations,
  PLAN,
  play,
  unexpectedFailures,
} from '../testing/history.ts';
import { VERSION_STEPS, type VersionMutation } from '../testing/versions.ts';

/** Lanes of fast-check, each with a separate seed, keep the database busy. */
const LANES = 16;
const HISTORIES_PER_LANE = rounds(10);

const database = fileDatabase();
const amount = fc.integer({ min: 0, max: 1000 }).map(BigInt);
const either = fc.constantFrom<0 | 1>(0, 1);

const versionStep = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...VERSION_STEPS) },
  { weight: 2, arbitrary: fc.constantFrom('candidate', 'finish', 'read account', 'rename') },
);

const call: fc.Arbitrary<CallPlan> = fc.record({
  process: either,
  key: either,
  amount,
  cost: fc.oneof(amount, fc.constant(0n), fc.constant(2000n)),
  settles: fc.oneof(
    { weight: 5, arbitrary: fc.constant('at-once' as const) },
    { weight: 1, arbitrary: fc.constantFrom('late' as const, 'never' as const) },
  ),
  pauseSeconds: fc.oneof(fc.constantFrom(0, 0, 1, 30, 61), fc.constantFrom(1300, 90_000)),
  copies: fc.constantFrom(1, 1, 1, MAX_HOLDS + 2),
  tidies: fc.boolean(),
  steps: fc.array(versionStep, { maxLength: 6 }),
});

const faults = (calls: number): fc.Arbitrary<FaultPlan> =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: calls }), fc.constantFrom(...FAULTS)), { maxLength: 2 })
    .map((pairs) => new Map(pairs));

const cap = fc.option(fc.integer({ min: 0, max: 4000 }).map(BigInt), { nil: undefined });
const policy = fc
  .record({ daily_usd: cap, monthly_usd: cap })
  .map(({ daily_usd: daily, monthly_usd: monthly }) => ({
    ...(daily === undefined ? {} : { daily_usd: daily }),
    ...(monthly === undefined ? {} : { monthly_usd: monthly }),
  }));

const history: fc.Arbitrary<History> = fc.record({
  // Noon, just before midnight, and just before a month begins.
  startMs: fc.constantFrom(
    Date.UTC(2026, 6, 15, 12),
    Date.UTC(2026, 6, 15, 23, 59, 59),
    Date.UTC(2026, 6, 31, 23, 59, 30),
  ),
  lagSeconds: fc.constantFrom(0, 0, 2),
  balance: fc.integer({ min: 0, max: 5000 }).map(BigInt),
  shards: fc.constantFrom(1, 1, 1, 3),
  policies: fc.tuple(policy, policy),
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  overlapping: fc.boolean(),
  faults: fc.tuple(faults(12), faults(8)),
  sweeperFaults: faults(6),
  lateLands: fc.constantFrom('before', 'after'),
});

const NO_FAULTS = [new Map(), new Map()] as const satisfies History['faults'];

interface Finding {
  readonly size: number;
  readonly broken: readonly string[];
  readonly story: string;
}

/** Histories after which a cap has more left than it should. */
const generous: Finding[] = [];
/** Histories in which a call failed that no planned fault explains. */
const astray: Finding[] = [];
let played = 0;
/** Histories in which shards were made. */
let grown = 0;

const property = fc.asyncProperty(history, async (story) => {
  const aftermath = await play(database, story);
  played += 1;
  if (aftermath.maxShards > story.shards) grown += 1;
  note(generous, brokenCaps(aftermath), story);
  note(astray, unexpectedFailures(aftermath), story);
  expect(ledgerViolations(aftermath)).toEqual([]);
});

function note(findings: Finding[], broken: readonly string[], story: History): void {
  if (broken.length === 0) return;
  const [first, second] = story.faults;
  const size = story.calls.length + first.size + second.size + story.sweeperFaults.size;
  findings.push({ size, broken, story: fc.stringify(story) });
}

/** The shortest stories say most. */
const shortest = (findings: readonly Finding[]) => findings.toSorted((a, b) => a.size - b.size).slice(0, 3);

describe(`${LANES * HISTORIES_PER_LANE} random histories of calls, crashes, lost answers and changed versions`, () => {
  it('end in an exact ledger, one record per call and no hold', async () => {
    const lane = (_: unknown, number: number) =>
      fc.assert(property, { numRuns: HISTORIES_PER_LANE, seed: seedOf(`lane ${number}`) });
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    for (const result of lanes) if (result.status === 'rejected') throw result.reason;
    expect(grown).toBeGreaterThan(0);
  });

  it('end with no more left of any cap than its spend allows', () => {
    expect(played).toBeGreaterThan(0);
    expect(shortest(generous)).toEqual([]);
  });

  it('fail no call but those whose database calls failed', () => {
    expect(played).toBeGreaterThan(0);
    expect(shortest(astray)).toEqual([]);
  });
});

/** Errors in a version that stands beside another one. */
const MUTATIONS: readonly (VersionMutation & { readonly what: string })[] = [
  {
    what: 'a version rewrites a key without the fields that it does not know',
    registry: (registry) => ({
      add: (...args) => registry.add(...args),
      find: (keyId) => registry.find(keyId),
      rotate: (...args) => registry.rotate(...args),
      change: (from, change) => {
        const { reads: _, ...known } = from.policy;
        return registry.change(from, { policy: known, ...change });
      },
    }),
  },
  {
    what: 'a version writes its layout before the update is finished',
    stage: (stage) => ({ ...stage, layoutOf: () => 2 }),
  },
  {
    what: 'a version writes the earlier layout although the update is finished',
    stage: (stage) => ({ ...stage, layoutOf: () => 1 }),
  },
  {
    what: 'a version serves a stage that it does not read',
    stage: (stage) => ({ ...stage, check: () => undefined }),
  },
];

/** Each error breaks a law within so few histories, with room for other seeds. */
const MAX_HISTORIES = 500;

describe('the histories of processes that are upgraded and go back', () => {
  it.each(MUTATIONS)(
    'break a law if $what',
    async (...args: readonly unknown[]) => {
      const [mutation] = args as [(typeof MUTATIONS)[number]];
      const isKept = fc.asyncProperty(history, async (story) => {
        const { brokenVersions } = await play(database, { ...story, faults: NO_FAULTS }, mutation);
        expect(brokenVersions).toEqual([]);
      });
      const seed = seedOf(`versions: ${mutation.what}`);
      const { failed } = await fc.check(isKept, {
        numRuns: MAX_HISTORIES,
        seed,
        endOnFailure: true,
      });
      expect(failed).toBe(true);
    },
    120_000,
  );
});

describe('a call that costs all of its hold and of its cap', () => {
  /** It has about as many requests; further places are of none. */
  const REQUESTS = 10;
  /** Calls of one step of a settlement, and of the next one, lie so near. */
  const NEAR = 3;
  const indexes = Array.from({ length: REQUESTS }, (_, index) => index + 1);
  const pairs = indexes.flatMap((one) =>
    indexes.filter((other) => other > one && other <= one + NEAR).map((other) => [one, other] as const),
  );

  /** The one that nothing makes up for by itself; the others in a thorough run. */
  const firsts: readonly Fault[] = rounds(1) === 1 ? ['unsent'] : FAULTS;

  it.each(firsts)(
    'leaves nothing of the cap, whichever request has %s and whichever later one fails',
    async (first) => {
      const findings: Finding[] = [];
      for (const second of FAULTS) {
        const stories = pairs.map(
          ([one, other]): History =>
            historyOf({
              balance: 5_000n,
              policies: [{ daily_usd: 492n }, {}],
              calls: [{ ...PLAN, amount: 492n, cost: 2_000n }],
              faults: [
                new Map([
                  [one, first],
                  [other, second],
                ]),
                new Map(),
              ],
              lateLands: 'after',
            }),
        );
        await Promise.all(
          stories.map(async (story) => note(findings, brokenCaps(await play(database, story)), story)),
        );
      }
      expect(shortest(findings)).toEqual([]);
    },
    60_000,
  );
});
