/**
 * Histories of one idempotency key: several processes, each with its own clock, call with the key. Each of their requests
 * may fail, be lost, arrive late or find the process dead, and each process may stall, with its timers.
 */
import { describe, expect } from '@jest/globals';
import * as fc from 'fast-check';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { KeyGate } from '../../../access/core/keys/key-gate.ts';
import type { After } from '../../../platform/core/ports.ts';
import { SILENT } from '../../testing/circuit/memory-circuits.ts';
import { MemoryReplays } from '../../testing/idempotency/memory-replays.ts';
import { Idempotency } from './idempotency.ts';
import type { ReplayClaim, ReplayStore } from './ports.ts';

/** `lost`: applied, then fails. `late`: applied twice, the second time 40 s later, as a copy that hung in the network. */
const FAULTS = ['unsent', 'lost', 'late', 'dies-before', 'dies-after', 'stalls'] as const;
type Fault = (typeof FAULTS)[number];

const LATE_MS = 40_000;
const MAX_SKEW_MS = 60_000;

interface Attempt {
  /** The time of the attempt after the start of the history. */
  readonly startMs: number;
  readonly skewMs: number;
  readonly upstreamMs: number;
  readonly stallMs: number;
  /** Faults by the ordinal of the request of the process, from 1. */
  readonly faults: Readonly<Record<number, Fault>>;
}

/** The things that happened to the key. */
interface Outcome {
  /** The attempts that were settled at a cost, by their request ids. */
  readonly charged: string[];
  /** The bodies that callers received. */
  readonly bodies: string[];
  /** The bodies that callers received as a replay. */
  readonly replayed: string[];
  /** The most attempts that ran upstream at the same time. */
  peak: number;
}

/** A table with one of these defects: it is the control of the histories. */
type Defect = 'stores-without-claim' | 'late-claim-replaces';

class DefectiveReplays extends MemoryReplays {
  readonly #defect: Defect | undefined;

  constructor(defect?: Defect) {
    super();
    this.#defect = defect;
  }

  override async claim(...[claim, times]: Parameters<ReplayStore['claim']>) {
    const stored = this.claims.get(claim.id);
    if (this.#defect === 'late-claim-replaces' && stored?.requestId === claim.requestId)
      this.claims.set(claim.id, { ...stored, isDone: false });
    return super.claim(claim, times);
  }

  override async storeResponse(...[claim, credential, response]: Parameters<ReplayStore['storeResponse']>) {
    const isStored = await super.storeResponse(claim, credential, response);
    return isStored || this.#defect === 'stores-without-claim';
  }
}

const never = () => new Promise<never>(() => {});

/** A process that requests the table and the route, with faults. */
class Process {
  readonly clock: () => number;
  readonly #time: FakeTime;
  readonly #attempt: Attempt;
  #requests = 0;
  #isDead = false;
  #stalledUntilMs = 0;

  constructor(time: FakeTime, attempt: Attempt) {
    this.#time = time;
    this.#attempt = attempt;
    this.clock = () => time.clock() + attempt.skewMs;
  }

  /** The timers of a process that stalls fire when it continues, and those of a dead process never. */
  readonly after: After = (ms, run) => this.#time.after(ms, () => void this.#continues().then(run));

  async #continues(): Promise<void> {
    const stalledMs = this.#stalledUntilMs - this.#time.clock();
    if (stalledMs > 0) await this.#time.sleep(stalledMs);
    if (this.#isDead) await never();
  }

  /** Sends one request, whose effect is `apply`. */
  async send<Result>(apply: () => Promise<Result>): Promise<Result> {
    await this.#continues();
    this.#requests += 1;
    const fault = this.#attempt.faults[this.#requests];
    if (fault === 'stalls') {
      this.#stalledUntilMs = this.#time.clock() + this.#attempt.stallMs;
      await this.#continues();
    }
    if (fault === 'dies-before') this.#isDead = true;
    if (fault === 'unsent') throw new Error('unsent');
    await this.#continues();
    const result = await apply();
    if (fault === 'late') this.#time.after(LATE_MS, () => void apply());
    if (fault === 'lost') throw new Error('lost');
    if (fault === 'dies-after') this.#isDead = true;
    await this.#continues();
    return result;
  }

  /** The table as the process reaches it. */
  table(store: MemoryReplays): ReplayStore {
    return {
      claim: (claim, times) => this.send(() => store.claim(claim, times)),
      renew: (claim, claimedUntilMs) => this.send(() => store.renew(claim, claimedUntilMs)),
      read: (id, nowMs) => this.send(() => store.read(id, nowMs)),
      storeResponse: (claim, credential, response) =>
        this.send(() => store.storeResponse(claim, credential, response)),
      open: (claim, credential) => this.send(() => store.open(claim, credential)),
      free: (claim: ReplayClaim) => this.send(() => store.free(claim)),
    };
  }
}

const HEALTHY: Attempt = { startMs: 0, skewMs: 0, upstreamMs: 1_000, stallMs: 0, faults: {} };

/** The longest call, and the time of a late request. */
const HISTORY_MS = 10 * 60_000;

async function play(attempts: readonly Attempt[], defect?: Defect): Promise<Outcome> {
  const time = new FakeTime();
  const store = new DefectiveReplays(defect);
  const outcome: Outcome = { charged: [], bodies: [], replayed: [], peak: 0 };
  let running = 0;

  async function attemptAt(attempt: Attempt, requestId: string): Promise<void> {
    await time.sleep(attempt.startMs);
    const process = new Process(time, attempt);
    const idempotency = new Idempotency({
      store: process.table(store),
      marks: { markReplay: async () => {} },
      gate: { touch: async () => ({ headers: {} }) } as unknown as KeyGate,
      clock: process.clock,
      after: process.after,
      log: SILENT,
    });
    const request = new Request('https://api.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer uis_secret', 'idempotency-key': 'key' },
    });
    const context = { requestId, remainingTimeMs: () => 900_000, pathParameters: {}, log: SILENT };
    const key = { accountId: 'acc_1', keyId: 'key_1', secretHash: '' };
    const call = { requestId, key, identity: '{}', stream: false };
    // As in a paid call: a route responds, the response is stored, the call settles.
    const response = await idempotency.guard({ request, context }, call, async (storeResponse) => {
      running += 1;
      outcome.peak = Math.max(outcome.peak, running);
      await process
        .send(() => time.sleep(attempt.upstreamMs))
        .finally(() => {
          running -= 1;
        });
      await storeResponse?.({ body: requestId, headers: {} });
      await process.send(async () => void outcome.charged.push(requestId));
      return { headers: {}, text: requestId };
    });
    const body = response.text;
    outcome.bodies.push(body);
    if ('idempotent-replayed' in response.headers) outcome.replayed.push(body);
  }

  for (const [index, attempt] of attempts.entries()) void attemptAt(attempt, `req_${index}`).catch(() => {});
  await time.advance(HISTORY_MS);
  // All is over, so the key is free, or its response is replayed.
  void attemptAt(HEALTHY, 'req_last').catch(() => {});
  await time.advance(5_000);
  return outcome;
}

/** Returns what a history breaks of the laws of money. */
function violationsOf({ charged, bodies, replayed }: Outcome): string[] {
  const broken: string[] = [];
  if (new Set(charged).size > 1) broken.push(`charged for ${charged.join(', ')}`);
  if (new Set(bodies).size > 1) broken.push(`responded with ${bodies.join(', ')}`);
  if (!charged.includes(bodies[0] ?? '') && replayed.length < bodies.length)
    broken.push('a response for free');
  if (bodies.length === 0) broken.push('the key stayed claimed');
  return broken;
}

const fault = fc.constantFrom(...FAULTS);
const attempts = fc.array(
  fc.record({
    startMs: fc.integer({ min: 0, max: 150_000 }),
    skewMs: fc.integer({ min: -MAX_SKEW_MS, max: MAX_SKEW_MS }),
    upstreamMs: fc.integer({ min: 0, max: 200_000 }),
    stallMs: fc.integer({ min: 0, max: 200_000 }),
    faults: fc.dictionary(fc.integer({ min: 1, max: 12 }).map(String), fault, { maxKeys: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The first attempt stalls before its response is stored, until the second one is done. */
const STALL: readonly Attempt[] = [
  { ...HEALTHY, upstreamMs: 1_000, stallMs: 120_000, faults: { 3: 'stalls' } },
  { ...HEALTHY, startMs: 60_000 },
];

/** The claim of the first attempt arrives once more, after its response is stored. */
const LATE: readonly Attempt[] = [
  { ...HEALTHY, faults: { 1: 'late' } },
  { ...HEALTHY, startMs: 100_000 },
];

describe('a key whose attempts stall, die and fail at any of their requests', () => {
  it('costs one attempt at most, has one response, and is free at the end', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, async (history) => {
        expect(violationsOf(await play(history))).toEqual([]);
      }),
      { numRuns: rounds(300) },
    );
  });

  it('costs one attempt in each history of two with one fault', async () => {
    for (const kind of FAULTS)
      for (const ordinal of [1, 2, 3, 4, 5, 6])
        for (const startMs of [500, 20_000, 58_000, 100_000]) {
          const first = { ...HEALTHY, upstreamMs: 70_000, stallMs: 90_000, faults: { [ordinal]: kind } };
          const outcome = await play([first, { ...HEALTHY, startMs, upstreamMs: 20_000 }]);
          expect([kind, ordinal, startMs, violationsOf(outcome)]).toEqual([kind, ordinal, startMs, []]);
        }
  });

  it.each<[Defect, readonly Attempt[]]>([
    ['stores-without-claim', STALL],
    ['late-claim-replaces', LATE],
  ])(
    'costs two attempts if the table %s, which the histories find',
    async (defect, history) => {
      expect(violationsOf(await play(history))).toEqual([]);
      expect(violationsOf(await play(history, defect))).not.toEqual([]);
      const search = fc.asyncProperty(attempts, async (found) => {
        expect(violationsOf(await play(found, defect))).toEqual([]);
      });
      expect((await fc.check(search, { numRuns: 5_000, endOnFailure: true })).failed).toBe(true);
    },
    60_000,
  );

  it('runs one attempt at a time if clocks differ by 5 s, and nothing stalls or fails for longer than 15 s', async () => {
    const harmless = attempts.map((history) =>
      history.map(({ skewMs, stallMs, faults, ...attempt }) => ({
        ...attempt,
        skewMs: Math.round(skewMs / 24),
        stallMs: Math.round(stallMs / 14),
        faults: Object.fromEntries(
          Object.entries(faults)
            .slice(0, 1)
            .map(([ordinal, kind]): [string, Fault] => [ordinal, kind === 'stalls' ? kind : 'unsent']),
        ),
      })),
    );
    await fc.assert(
      fc.asyncProperty(harmless, async (history) => {
        expect((await play(history)).peak).toBeLessThanOrEqual(1);
      }),
      { numRuns: rounds(150) },
    );
    expect((await play(STALL.map((attempt) => ({ ...attempt, upstreamMs: 100_000 })))).peak).toBe(2);
  });

  it('becomes free within 60 s of the death of its process, if clocks differ by up to 5 s', async () => {
    for (const skewMs of [-5_000, 0, 5_000])
      for (const [kind, ordinal, diedMs] of [
        ['dies-after', 1, 0],
        ['dies-before', 2, 0],
        ['dies-after', 3, 30_000],
        ['dies-after', 4, 60_000],
      ] as const) {
        const dead = { ...HEALTHY, skewMs, upstreamMs: 200_000, faults: { [ordinal]: kind } };
        const next = { ...HEALTHY, startMs: diedMs + 60_001 };
        const { charged, bodies } = await play([dead, next]);
        expect([skewMs, ordinal, charged, bodies]).toEqual([skewMs, ordinal, ['req_1'], ['req_1', 'req_1']]);
      }
  });
});
