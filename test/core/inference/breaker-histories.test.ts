import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { Breaker } from '../../../lambdas/core/inference/breaker.ts';
import {
  type Circuit,
  COOLDOWN_MS,
  closedCircuit,
  stateOf,
} from '../../../lambdas/core/inference/circuit.ts';
import { UpstreamFailure } from '../../../lambdas/core/inference/provider.ts';
import { FakeTime } from './fake-time.ts';
import { type Disturbance, FAULTS, FaultyCircuits } from './faulty-circuits.ts';
import { DEAD, ROUTE } from './fleet.ts';
import { MemoryCircuits, SILENT } from './memory-circuits.ts';

const PROCESSES = 3;

const COURSES = {
  serves: undefined,
  fails: DEAD,
  'times out': new UpstreamFailure('timeout'),
  'has had enough': new UpstreamFailure('status', { status: 429, retryAfterSeconds: 3 }),
  refuses: new UpstreamFailure('status', { status: 400, retryable: false }),
  'runs out of time': new UpstreamFailure('deadline'),
};

const step = fc.record({
  process: fc.nat(PROCESSES - 1),
  course: fc.oneof(
    { weight: 6, arbitrary: fc.constant('fails' as const) },
    { weight: 3, arbitrary: fc.constant('serves' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(COURSES) as (keyof typeof COURSES)[])) },
  ),
  takesMs: fc.constantFrom(0, 0, 5, 400, 3_000, 30_000),
  pauseMs: fc.constantFrom(0, 0, 1, 10, 300, 1_900, 15_000),
  /** The process dies with everything it has under way, and another takes its place. */
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
  readonly failuresMs: number[] = [];
  openingsTold = 0;
  openings = 0;
  deaths = 0;
  healed = false;
  readonly #disturbances: Iterator<Disturbance>;
  readonly #processes: Process[];

  constructor(disturbances: readonly Disturbance[]) {
    this.#disturbances = disturbances.values();
    const save = this.memory.save.bind(this.memory);
    this.memory.save = async (circuit) => {
      const before = this.memory.of(circuit.routeId);
      const after = await save(circuit);
      if (after === circuit) this.#check(before, after);
      return after;
    };
    this.#processes = Array.from({ length: PROCESSES }, () => this.#spawn());
  }

  #spawn(): Process {
    const store = new FaultyCircuits(this.memory, this.time, () => {
      const next = this.healed ? undefined : this.#disturbances.next();
      return next === undefined || next.done ? { fault: 'none', delayMs: 0 } : next.value;
    });
    const { clock, after } = this.time;
    const count = (event: string) => {
      if (event === 'circuitOpened') this.openingsTold += 1;
    };
    return {
      store,
      breaker: new Breaker({ store, clock, after, ulid, log: SILENT, count }),
      isAlive: true,
    };
  }

  /** What must hold whenever the store takes a write. */
  #check(before: Circuit, after: Circuit): void {
    const nowMs = this.time.clock();
    const probe = before.openUntilMs === 0 ? undefined : before.probe;
    const isLive = probe !== undefined && probe.untilMs > nowMs;
    if (isLive && after.probe !== undefined && after.probe.id !== probe.id) this.broken.push('two probes');
    if (before.openUntilMs === 0 && after.openUntilMs !== 0) {
      this.openings += 1;
      const openedMs = after.openUntilMs - COOLDOWN_MS;
      // Later ones may have been written first.
      const failures = this.failuresMs.filter((ms) => ms > openedMs - 10_000);
      if (failures.length < 5) this.broken.push(`opened after ${failures.length} failures`);
    }
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

  async call(index: number, failure: UpstreamFailure | undefined, takesMs: number): Promise<boolean> {
    const { time } = this;
    const process = this.process(index);
    const { breaker } = process;
    const beganMs = time.clock();
    await breaker.refresh();
    const pass = await breaker.admit(ROUTE);
    // Its first look, and a claim.
    if (time.clock() - beganMs > 1_250) this.broken.push('a call that waited for the store');
    if (!process.isAlive || !pass.allowed) return false;
    if (takesMs > 0) await time.sleep(takesMs);
    if (!process.isAlive) return false;
    if (failure === DEAD || failure?.kind === 'timeout') this.failuresMs.push(time.clock());
    if (failure === undefined) breaker.succeeded(ROUTE, pass);
    else breaker.failed(ROUTE, failure, pass);
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
  let ended = 0;
  const begin = async (...call: Parameters<World['call']>) => {
    calls += 1;
    await world.call(...call);
    ended += 1;
  };
  for (const { process, course, takesMs, pauseMs, dies } of steps) {
    void begin(process, COURSES[course], takesMs);
    if (dies) world.kill(process);
    await time.advance(pauseMs);
  }
  world.healed = true;
  await time.advance(45_000);
  // A claim lapses after 65 s at most, and a cooldown after 15 s.
  for (let second = 0; second < 100; second += 1) {
    for (let index = 0; index < PROCESSES; index += 1) void begin(index, undefined, 0);
    await time.advance(1_000);
  }
  const { broken } = world;
  const circuit = world.memory.circuits.get(ROUTE.id) ?? closedCircuit(ROUTE.id);
  if (stateOf(circuit, time.clock()).kind !== 'closed') broken.push('a circuit that never closed');
  for (let index = 0; index < PROCESSES; index += 1) {
    if (!(await time.until(world.call(index, undefined, 0)))) broken.push(`process ${index} is shut out`);
  }
  if (world.deaths === 0 && ended !== calls) broken.push(`${calls - ended} calls never ended`);
  const { openings, openingsTold, deaths } = world;
  if (openingsTold > openings || (deaths === 0 && openingsTold < openings))
    broken.push(`${openings} openings were told ${openingsTold} times`);
  return { broken, openings };
}

describe('in every history of calls, crashes, and a network that delays, loses and repeats', () => {
  it('one probe at a time has the claim, a circuit opens for five failures, is told of once, and closes again', async () => {
    let openings = 0;
    await fc.assert(
      fc.asyncProperty(history, async (story) => {
        const played = await play(story);
        openings += played.openings;
        expect(played.broken).toEqual([]);
      }),
      { numRuns: 300 },
    );
    // The histories are about something.
    expect(openings).toBeGreaterThan(30);
  }, 120_000);
});
