import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { type Disturbance, FAULTS, FaultyCircuits } from '../../testing/circuit/faulty-circuits.ts';
import { DEAD, Fleet, PAYING, ROUTE } from '../../testing/circuit/fleet.ts';
import { createBreaker, MemoryCircuits } from '../../testing/circuit/memory-circuits.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import { accountHash, type Breaker } from './breaker.ts';
import { type Circuit, COOLDOWN_MS, isOpen, routeOfKey, stateOf } from './circuit.ts';
import { classifyFailure, hasFailed } from './failure-class.ts';

const PROCESSES = 3;

const ACCOUNTS = ['acc_0', 'acc_1', 'acc_2', 'acc_3'] as const;

const COURSES = {
  serves: undefined,
  fails: DEAD,
  'times out': new UpstreamFailure('timeout'),
  'wants to be left alone': new UpstreamFailure('status', { status: 429, retryAfterSeconds: 3 }),
  refuses: new UpstreamFailure('status', { status: 400, retryable: false }),
  'runs out of time': new UpstreamFailure('deadline'),
  breaks: new UpstreamFailure('status', { status: 500 }),
  forbids: new UpstreamFailure('status', { status: 403 }),
};

type CallCase = keyof typeof COURSES;

const counts = (failure: UpstreamFailure | undefined) =>
  failure !== undefined && hasFailed(classifyFailure(failure));

const step = fc.record({
  process: fc.nat(PROCESSES - 1),
  /** One account in some histories, several in others. */
  account: fc.oneof(
    { weight: 2, arbitrary: fc.constant(ACCOUNTS[0]) },
    { weight: 3, arbitrary: fc.constantFrom(...ACCOUNTS) },
  ),
  course: fc.oneof(
    { weight: 6, arbitrary: fc.constant('fails' as const) },
    { weight: 3, arbitrary: fc.constant('serves' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(COURSES) as CallCase[])) },
  ),
  takesMs: fc.constantFrom(0, 0, 5, 400, 3_000, 30_000),
  pauseMs: fc.constantFrom(0, 0, 1, 10, 300, 1_900, 15_000),
  /** The process dies with everything it has in flight, and another takes its place. */
  dies: fc.oneof({ weight: 19, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  fault: fc.oneof(
    { weight: 5, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.constantFrom(...FAULTS) },
  ),
  delayMs: fc.constantFrom(0, 0, 0, 3, 50, 700, 2_500),
});

const history = fc.record({
  steps: fc.array(step, { minLength: 5, maxLength: 60 }),
  disturbances: fc.array(disturbance, { minLength: 1, maxLength: 40 }),
});

interface Process {
  readonly store: FaultyCircuits;
  readonly breaker: Breaker;
  isAlive: boolean;
}

class World {
  readonly time = new FakeTime();
  readonly memory = new MemoryCircuits();
  readonly broken: string[] = [];
  readonly failures: { readonly atMs: number; readonly account: string }[] = [];
  /** Calls that the breaker did not let try, by account. */
  readonly rejected: string[] = [];
  openingsReported = 0;
  openings = 0;
  /** Answers that a process has not had. */
  lost = 0;
  sharedOpenings = 0;
  deaths = 0;
  healed = false;
  readonly #disturbances: Iterator<Disturbance>;
  readonly #processes: Process[];

  constructor(disturbances: readonly Disturbance[]) {
    this.#disturbances = disturbances.values();
    const write = this.memory.write.bind(this.memory);
    this.memory.write = async (key, change) => {
      const before = this.memory.of(key);
      const after = await write(key, change);
      if (after !== before) this.#check(key, before, after);
      return after;
    };
    this.#processes = Array.from({ length: PROCESSES }, () => this.#spawn());
  }

  #spawn(): Process {
    const store = new FaultyCircuits(this.memory, this.time, () => {
      const next = this.healed ? undefined : this.#disturbances.next();
      if (next === undefined || next.done) return { fault: 'none', delayMs: 0 };
      if (next.value.fault === 'answer-lost' || next.value.fault === 'late') this.lost += 1;
      return next.value;
    });
    const { clock, after } = this.time;
    const count = (event: string) => {
      if (event === 'circuitOpened') this.openingsReported += 1;
    };
    return {
      store,
      breaker: createBreaker({ store, clock, after, count }),
      isAlive: true,
    };
  }

  /** Checks the invariants of a write to the store. */
  #check(key: string, before: Circuit, after: Circuit): void {
    const nowMs = this.time.clock();
    const isLive = before.probe !== undefined && (before.open_until ?? 0) > nowMs;
    if (isLive && after.probe !== undefined && after.probe !== before.probe) this.broken.push('two probes');
    if (isOpen(before) || after.open_until === undefined) return;
    this.openings += 1;
    const openedMs = after.open_until - COOLDOWN_MS;
    // Later ones may have been written first.
    const failures = this.failures.filter(({ atMs }) => atMs > openedMs - 10_000);
    const accounts = new Set(failures.map(({ account }) => account));
    if (failures.length < 5) this.broken.push(`opened after ${failures.length} failures`);
    const { isOwn } = routeOfKey(key);
    if (!isOwn) this.sharedOpenings += 1;
    if (!isOwn && accounts.size < 3) this.broken.push(`opened to all after failures of ${accounts.size}`);
    if (isOwn && ![...accounts].some((id) => key.endsWith(accountHash(id))))
      this.broken.push('opened to an account that had not failed');
  }

  kill(index: number): void {
    const process = this.process(index);
    process.isAlive = false;
    process.store.die();
    this.#processes[index] = this.#spawn();
    this.deaths += 1;
  }

  process(index: number): Process {
    const process = this.#processes[index];
    if (process === undefined) throw new Error(`there is no process ${index}`);
    return process;
  }

  /** Gives whether it was served. */
  async call(
    index: number,
    account: string,
    failure: UpstreamFailure | undefined,
    takesMs: number,
  ): Promise<boolean> {
    const { time } = this;
    const process = this.process(index);
    const { breaker } = process;
    const startMs = time.clock();
    await breaker.refresh([ROUTE], account);
    const pass = await breaker.admit(ROUTE, { accountId: account, spentAmount: PAYING });
    // Its first look, and a claim of each of its circuits.
    if (time.clock() - startMs > 2_250) this.broken.push('a call that waited for the store');
    if (process.isAlive && !pass.allowed) this.rejected.push(account);
    if (!process.isAlive || !pass.allowed) return false;
    if (takesMs > 0) await time.sleep(takesMs);
    if (!process.isAlive) return false;
    if (counts(failure)) this.failures.push({ atMs: time.clock(), account });
    if (failure === undefined) breaker.succeeded(pass);
    else breaker.failed(failure, pass);
    const endedMs = time.clock();
    await breaker.flush();
    if (time.clock() - endedMs > 1_000) this.broken.push('a call that never ended');
    return failure === undefined;
  }
}

/** Plays a history, then lets the network heal and the route serve; gives what did not hold. */
async function play({ steps, disturbances }: typeof history extends fc.Arbitrary<infer T> ? T : never) {
  const world = new World(disturbances);
  const { time } = world;
  let calls = 0;
  let endedCount = 0;
  const start = async (...call: Parameters<World['call']>) => {
    calls += 1;
    await world.call(...call);
    endedCount += 1;
  };
  for (const { process, account, course, takesMs, pauseMs, dies } of steps) {
    void start(process, account, COURSES[course], takesMs);
    if (dies) world.kill(process);
    await time.advance(pauseMs);
  }
  world.healed = true;
  await time.advance(45_000);
  // A claim lapses after 65 s at most, and a cooldown after 15 s.
  for (let second = 0; second < 100; second += 1) {
    for (let index = 0; index < PROCESSES; index += 1) {
      void start(index, ACCOUNTS[(second + index) % ACCOUNTS.length] ?? '', undefined, 0);
    }
    await time.advance(1_000);
  }
  const { broken } = world;
  for (const [key, circuit] of world.memory.circuits)
    if (isOpen(circuit)) broken.push(`the circuit ${key} never closed`);
  for (let index = 0; index < PROCESSES; index += 1) {
    for (const account of ACCOUNTS) {
      const hasCompleted = await time.until(world.call(index, account, undefined, 0));
      if (!hasCompleted) broken.push(`process ${index} is shut out for ${account}`);
    }
  }
  if (world.deaths === 0 && endedCount !== calls) broken.push(`${calls - endedCount} calls never ended`);
  const { openings, openingsReported, sharedOpenings, deaths, lost } = world;
  const unreported = openings - openingsReported;
  if (unreported < 0 || unreported > deaths + lost)
    broken.push(`${openings} openings were reported ${openingsReported} times`);
  return { broken, openings, sharedOpenings };
}

describe('the breaker, in random histories of calls, crashes and network faults,', () => {
  it('allows one probe at a time, opens a circuit after five failures, reports it once, and closes it again', async () => {
    let openings = 0;
    let sharedOpenings = 0;
    await fc.assert(
      fc.asyncProperty(history, async (story) => {
        const played = await play(story);
        openings += played.openings;
        sharedOpenings += played.sharedOpenings;
        expect(played.broken).toEqual([]);
      }),
      { numRuns: rounds(100) },
    );
    // The histories are about something.
    expect(openings).toBeGreaterThan(3);
    expect(sharedOpenings).toBeGreaterThan(1);
  });
});

const FAILURES = (Object.keys(COURSES) as CallCase[]).filter((outcome) => outcome !== 'serves');

/** Calls of that many accounts that fail in every way, and between them, served, those of an account of its own. */
const attackBy = (attackers: number) =>
  fc.record({
    steps: fc.array(
      fc.record({
        process: fc.nat(PROCESSES - 1),
        attacker: fc.nat(attackers - 1),
        course: fc.oneof(fc.constant('fails' as const), fc.constantFrom(...FAILURES)),
        burst: fc.integer({ min: 1, max: 4 }),
        takesMs: fc.constantFrom(0, 0, 5, 400, 30_000),
        pauseMs: fc.constantFrom(0, 1, 10, 300, 1_900, 4_100, 15_000),
        dies: fc.constantFrom(...Array(19).fill(false), true),
      }),
      { minLength: 5, maxLength: 40 },
    ),
    disturbances: fc.array(disturbance, { minLength: 1, maxLength: 40 }),
  });

const BYSTANDER = 'bystander';

type Attack = ReturnType<typeof attackBy> extends fc.Arbitrary<infer T> ? T : never;

/** Plays an attack; a bystander calls at every process after each step, and is always served if it may try. */
async function attack(world: World, { steps }: Attack): Promise<void> {
  for (const { process, attacker, course, burst, takesMs, pauseMs, dies } of steps) {
    for (let call = 0; call < burst; call += 1)
      void world.call(process, `attacker ${attacker}`, COURSES[course], takesMs);
    if (dies) world.kill(process);
    await world.time.advance(pauseMs);
    for (let index = 0; index < PROCESSES; index += 1) void world.call(index, BYSTANDER, undefined, 0);
  }
  world.healed = true;
  await world.time.advance(100_000);
}

describe('the breaker, in random histories of failures,', () => {
  const refusals = async (attackers: number, runs: fc.Parameters<unknown>): Promise<number> => {
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(attackBy(attackers), async (story) => {
        const world = new World(story.disturbances);
        await attack(world, story);
        expect(world.broken).toEqual([]);
        rejected += world.rejected.filter((account) => account === BYSTANDER).length;
        if (attackers < 3) expect(rejected).toBe(0);
      }),
      runs as fc.Parameters<[Attack]>,
    );
    return rejected;
  };

  it('failures of two accounts cause no rejection of a third account', async () => {
    expect(await refusals(2, { numRuns: rounds(200) })).toBe(0);
  });

  it('failures of three accounts sometimes cause the rejection of another account', async () => {
    expect(await refusals(3, { numRuns: rounds(100) })).toBeGreaterThan(10);
  });

  it('lets a third account return within three minutes to a route that all have left, if two accounts meet the failures', async () => {
    let longestMs = 0;
    await fc.assert(
      fc.asyncProperty(attackBy(2), async (story) => {
        const world = new World([]);
        const { time } = world;
        for (let call = 0; call < 9; call += 1) {
          await time.until(world.call(0, `witness ${call % 3}`, DEAD, 0));
          await time.advance(100);
        }
        expect(stateOf(world.memory.of(ROUTE.id), '', time.clock()).kind).toBe('shut');
        const startMs = time.clock();
        let recoveredMs = Number.POSITIVE_INFINITY;
        let isOver = false;
        const bystander = async () => {
          for (let index = 0; !isOver; index += 1) {
            const hasCompleted = await world.call(index % PROCESSES, BYSTANDER, undefined, 0);
            if (hasCompleted) recoveredMs = Math.min(recoveredMs, time.clock());
            await time.sleep(1_000);
          }
        };
        void bystander();
        // The attackers call five times as often, for as long as it takes.
        const hasCompleted = () => recoveredMs < Number.POSITIVE_INFINITY;
        for (let step = 0; !hasCompleted() && time.clock() < startMs + 300_000; step += 1) {
          for (let attacker = 0; attacker < 2; attacker += 1) {
            const { process, course, takesMs, dies } = story.steps[
              (step + attacker) % story.steps.length
            ] as Attack['steps'][number];
            void world.call(process, `attacker ${attacker}`, COURSES[course], takesMs);
            if (dies) world.kill(process);
          }
          await time.advance(200);
        }
        isOver = true;
        longestMs = Math.max(longestMs, recoveredMs - startMs);
        // Two claims that lapse, a cooldown after each, and the first one.
        expect(recoveredMs - startMs).toBeLessThanOrEqual(2 * (65_000 + COOLDOWN_MS) + COOLDOWN_MS + 5_000);
      }),
      { numRuns: rounds(40) },
    );
    // They have kept it from the other for a while.
    expect(longestMs).toBeGreaterThan(2 * COOLDOWN_MS);
  });
});

describe('a route that fails every call', () => {
  const deadCalls = fc.record({
    processes: fc.integer({ min: 1, max: 8 }),
    accounts: fc.integer({ min: 1, max: 12 }),
    calls: fc.array(fc.tuple(fc.nat(7), fc.nat(11), fc.constantFrom(0, 20, 50, 100)), {
      minLength: 300,
      maxLength: 300,
    }),
    course: fc.constantFrom('fails' as const, 'breaks' as const, 'forbids' as const, 'times out' as const),
  });

  it('receives a bounded number of attempts from one account, from two, and from all', async () => {
    const maxCounts = { one: 0, two: 0, all: 0 };
    await fc.assert(
      fc.asyncProperty(deadCalls, async ({ processes, accounts, calls, course }) => {
        const fleet = new Fleet(processes);
        for (const [process, account, pauseMs] of calls) {
          const call = { failure: COURSES[course], account: `acc_${account % accounts}` };
          await fleet.time.until(fleet.call(process % processes, call));
          await fleet.time.advance(pauseMs);
        }
        const { tries, probes } = fleet;
        const kind = accounts === 1 ? 'one' : accounts === 2 ? 'two' : 'all';
        maxCounts[kind] = Math.max(maxCounts[kind], tries - probes);
        await fleet.time.advance(2_000);
        const skipped = fleet.tries;
        for (let account = 0; account < accounts; account += 1)
          await fleet.round({ failure: DEAD, account: `acc_${account}` });
        // Only probes: one of all accounts, or of each while fewer than three have shown the route dead.
        expect(fleet.tries - skipped).toBeLessThanOrEqual(accounts);
        expect(fleet.tries - fleet.probes).toBe(tries - probes);
      }),
      { numRuns: rounds(60) },
    );
    // By one account at eight processes, three of each as ever; by many, what they need to report it.
    expect(maxCounts.one).toBeLessThanOrEqual(3 * 8);
    expect(maxCounts.two).toBeLessThanOrEqual(2 * 3 * 8);
    expect(maxCounts.all).toBeLessThanOrEqual(3 * 3 * 8);
  });
});
