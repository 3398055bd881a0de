/** Loads every contestant in turn, round after round, so that what disturbs the machine disturbs all of them. */
import type { LoadRequest } from '../harness/load/call.ts';
import { CASES, type Case, PAUSE_MS } from '../harness/load/cases.ts';
import { closedLoop, type LoadMeasurement, openLoop } from '../harness/load/loops.ts';
import { cpuMsOf, enginePid } from '../harness/weigh.ts';
import { BARE } from './bare.ts';
import type { Contestant, ContestantProcess } from './contestant.ts';
import type { Ring } from './ring.ts';
import { type LoadName, type Sample, sampleOf } from './sample.ts';

export interface ContestantStart {
  readonly contestant: Contestant;
  readonly running: ContestantProcess;
}

interface LoadKind {
  readonly name: LoadName;
  readonly pauseMs: number;
  readonly cases: readonly Case[];
  run(url: string, next: () => LoadRequest, windowMs: number): Promise<LoadMeasurement>;
}

/** Enough for hundreds of calls of a gateway, short enough that a round fits between two changes of the machine. */
const WINDOW_MS = 700;

/** A rate that every contestant can keep. */
const OPEN_PER_SECOND = 30;
const OPEN_WINDOW_MS = 1_500;

/** Until the code is compiled and connections are open. */
const WARM_UP_MS = 1_500;

const closed = (callers: 1 | 16 | 64): LoadKind => ({
  name: `${callers} at once`,
  pauseMs: 0,
  cases: CASES,
  run: (url, next, windowMs) => closedLoop({ url, next, windowMs }, callers),
});

const LOADS: readonly LoadKind[] = [
  closed(1),
  closed(16),
  closed(64),
  {
    name: 'open loop',
    pauseMs: PAUSE_MS,
    cases: CASES.filter(({ surface }) => surface === 'chat'),
    run: (url, next) => openLoop({ url, next, windowMs: OPEN_WINDOW_MS }, OPEN_PER_SECOND),
  },
];

export async function warmUp(started: readonly ContestantStart[]): Promise<void> {
  for (const testCase of CASES) {
    for (const { contestant, running } of started) {
      if (!contestant.serves(testCase)) continue;
      const next = () => contestant.request(testCase, 0);
      await closedLoop({ url: running.url, next, windowMs: WARM_UP_MS }, 16);
    }
  }
}

/** At least one round, and as many more as should end before the deadline (`performance.now()`). */
export async function measureRounds(
  ring: Ring,
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
          samples.push(await measureWindow(ring, one, { load, testCase, round }));
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
  { upstream, database }: Ring,
  { contestant, running }: ContestantStart,
  { load, testCase, round }: WindowOptions,
): Promise<Sample> {
  const engine = enginePid(database.endpoint);
  const next = () => contestant.request(testCase, load.pauseMs);
  const callsBefore = await upstream.calls();
  const cpuBefore = [cpuMsOf(running.pid), cpuMsOf(engine)] as const;
  const loaded = await load.run(running.url, next, WINDOW_MS);
  const cpuMs = cpuMsOf(running.pid) - cpuBefore[0];
  const databaseCpuMs = contestant.name === BARE ? 0 : cpuMsOf(engine) - cpuBefore[1];
  const reached = (await upstream.calls()) - callsBefore;
  if (reached !== loaded.calls.length)
    throw new Error(`${contestant.name}: ${loaded.calls.length} answers of ${reached} calls of the upstream`);
  return sampleOf({
    contestant: contestant.name,
    caseName: testCase.name,
    load: load.name,
    round,
    stream: testCase.stream,
    loaded,
    cpuMs,
    databaseCpuMs,
  });
}
