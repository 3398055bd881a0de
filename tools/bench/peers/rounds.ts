/** Loads every contestant in turn, round after round, so that what disturbs the machine disturbs all of them. */
import { callOnce, type LoadedCall, type LoadRequest } from '../harness/load/call.ts';
import { CASES, type Case, PACED_CASES, PAUSE_MS } from '../harness/load/cases.ts';
import { closedLoop, evenly, type LoadMeasurement, openLoop, overPool } from '../harness/load/loops.ts';
import { percentile } from '../harness/statistics.ts';
import { cpuMsOf, enginePid } from '../harness/weigh.ts';
import type { Stage } from '../host/stage.ts';
import { BARE } from './bare.ts';
import type { Contestant, ContestantProcess } from './contestant.ts';
import type { LoadName, Sample } from './samples.ts';

export interface ContestantStart {
  readonly contestant: Contestant;
  readonly running: ContestantProcess;
}

interface LoadKind {
  readonly name: LoadName;
  readonly pauseMs: number;
  readonly cases: readonly Case[];
  run(url: string, next: () => LoadRequest): Promise<LoadMeasurement<LoadedCall>>;
}

/** Enough for hundreds of calls of a gateway, short enough that a round fits between two changes of the machine. */
const WINDOW_MS = 700;

/** A rate that every contestant can keep, for a second and a half. */
const [OPEN_CALLS, OPEN_PER_SECOND] = [45, 30];

/** The maximum number of calls that overlap if a contestant falls behind. */
const MAX_OVERLAP = 256;

/** Until the code is compiled and connections are open: after 200 calls, a call still costs half as much again. */
const WARM_UP_CALLS = 1_000;

/** Enough for the calls of every contestant but the slowest, whose calls cost the same later. */
const WARM_UP_MS = 5_000;

/** Calls over that many connections for as long as there `isMore` to do. */
const callsAtOnce = (
  url: string,
  callers: number,
  isMore: (elapsedMs: number) => boolean,
  next: () => LoadRequest,
): Promise<LoadMeasurement<LoadedCall>> =>
  overPool(url, callers, (pool) => closedLoop(callers, isMore, () => callOnce(pool, next())));

const closed = (callers: 1 | 16 | 64, cases = CASES): LoadKind => ({
  name: `${callers} at once`,
  pauseMs: 0,
  cases,
  run: (url, next) => callsAtOnce(url, callers, (elapsedMs) => elapsedMs < WINDOW_MS, next),
});

const LOADS: readonly LoadKind[] = [
  closed(1),
  closed(16, [...CASES, ...PACED_CASES]),
  closed(64),
  {
    name: 'open loop',
    pauseMs: PAUSE_MS,
    cases: CASES.filter(({ surface }) => surface === 'chat'),
    run: (url, next) =>
      overPool(url, MAX_OVERLAP, (pool) =>
        openLoop(evenly(OPEN_CALLS, OPEN_PER_SECOND), (sinceMs) => callOnce(pool, next(), sinceMs)),
      ),
  },
];

export async function warmUp(started: readonly ContestantStart[]): Promise<void> {
  for (const testCase of [...CASES, ...PACED_CASES]) {
    for (const { contestant, running } of started.filter(({ contestant: each }) => each.serves(testCase))) {
      let calls = 0;
      const isMore = (elapsedMs: number) => calls < WARM_UP_CALLS && elapsedMs < WARM_UP_MS;
      await callsAtOnce(running.url, 16, isMore, () => {
        calls += 1;
        return contestant.request(testCase, 0);
      });
    }
  }
}

/** At least one round, and as many more as should end before the deadline (`performance.now()`). */
export async function measureRounds(
  stage: Stage,
  started: readonly ContestantStart[],
  deadlineMs: number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  let roundMs = 0;
  for (let round = 0; round === 0 || performance.now() + roundMs < deadlineMs; round += 1) {
    const startMs = performance.now();
    // Every other round backwards: who comes after whom is nobody's advantage.
    const order = round % 2 === 0 ? started : started.toReversed();
    for (const load of LOADS) {
      for (const testCase of load.cases) {
        for (const one of order.filter(({ contestant }) => contestant.serves(testCase)))
          samples.push(await measureWindow(stage, one, { load, testCase, round }));
      }
    }
    roundMs = performance.now() - startMs;
  }
  return samples;
}

interface WindowOptions {
  readonly load: LoadKind;
  readonly testCase: Case;
  readonly round: number;
}

async function measureWindow(
  { upstream, database }: Stage,
  { contestant, running }: ContestantStart,
  { load, testCase, round }: WindowOptions,
): Promise<Sample> {
  const engine = enginePid(database.endpoint);
  const next = () => contestant.request(testCase, load.pauseMs);
  const callsBefore = await upstream.calls();
  const cpuBefore = [cpuMsOf(running.pid), cpuMsOf(engine)] as const;
  const { calls, seconds } = await load.run(running.url, next);
  const cpuMs = cpuMsOf(running.pid) - cpuBefore[0];
  const databaseCpuMs = contestant.name === BARE ? 0 : cpuMsOf(engine) - cpuBefore[1];
  const reached = (await upstream.calls()) - callsBefore;
  if (reached !== calls.length)
    throw new Error(`${contestant.name}: ${calls.length} answers of ${reached} calls of the upstream`);
  const waited = calls.map(({ firstMs, totalMs }) => (testCase.stream ? firstMs : totalMs));
  return {
    contestant: contestant.name,
    caseName: testCase.name,
    load: load.name,
    round,
    p50Ms: percentile(waited, 50),
    p99Ms: percentile(waited, 99),
    perSecond: calls.length / seconds,
    cpuMs: cpuMs / calls.length,
    databaseCpuMs: databaseCpuMs / calls.length,
  };
}
