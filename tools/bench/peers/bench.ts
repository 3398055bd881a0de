/** Us and others who do the same work, side by side: the same calls, the same upstream, the same machine, in turns. */
import { callOnce } from '../harness/load/call.ts';
import { CHAT } from '../harness/load/cases.ts';
import { overPool } from '../harness/load/loops.ts';
import type { BenchMetric } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';
import { residentMbOf } from '../harness/weigh.ts';
import { openStage, type Stage } from '../host/stage.ts';
import { BARE, bareContestant } from './bare.ts';
import type { Contestant } from './contestant.ts';
import { caseMetrics, goalMetrics, RESIDENT, START } from './figures.ts';
import { forwarderContestant } from './forwarder/contestant.ts';
import { LITELLM, liteLlmContestant } from './litellm.ts';
import { ourContestant } from './ours.ts';
import { PORTKEY, portkeyContestant } from './portkey.ts';
import { type ContestantStart, measureRounds, warmUp } from './rounds.ts';
import { Samples } from './samples.ts';

/**
 * The time until the end of the last round, within the eight minutes of the whole run. A slower machine runs fewer
 * rounds.
 */
const RUN_MS = Number(process.env.BENCH_SECONDS ?? 420) * 1_000;

const STARTS = 3;

/** One that starts so slowly that this is over is not started again. */
const LONG_MS = 15_000;

export async function measurePeers(): Promise<readonly BenchMetric[]> {
  const stage = await openStage();
  const started: ContestantStart[] = [];
  try {
    const contestants = [
      bareContestant(stage.upstream),
      forwarderContestant(stage.upstream),
      ourContestant(stage, true),
      ourContestant(stage, false),
      ...installable(PORTKEY, () => portkeyContestant(stage.upstream.url)),
      ...installable(LITELLM, () => liteLlmContestant(stage.upstream.url)),
    ];
    // Not before: what the first run installs is no part of it.
    const deadlineMs = performance.now() + RUN_MS;
    const startMs = new Map<string, number>();
    for (const contestant of contestants.filter(({ name }) => name !== BARE))
      startMs.set(contestant.name, await measureStarts(contestant));
    for (const contestant of contestants) started.push({ contestant, running: await contestant.start() });
    await warmUp(started);
    const measured = await measureRounds(stage, started, deadlineMs);
    const samples = new Samples(measured);
    return [
      ...goalMetrics(samples),
      ...(await ledgerMetrics(stage)),
      { name: 'rounds', value: 1 + Math.max(...measured.map(({ round }) => round)), unit: '' },
      ...started
        .filter(({ contestant }) => contestant.name !== BARE)
        .flatMap(({ contestant: { name }, running }) => [
          { name: `${RESIDENT}: ${name}`, value: residentMbOf(running.pid), unit: 'MB' },
          { name: `${START}: ${name}`, value: startMs.get(name) ?? Number.NaN, unit: 'ms' },
        ]),
      ...caseMetrics(
        samples,
        contestants.map(({ name }) => name),
      ),
    ];
  } finally {
    for (const { running } of started) await running.stop();
    await stage.close();
  }
}

/** The contestant, or none and a loud line when it cannot be had here. */
function installable(name: string, make: () => Contestant): Contestant[] {
  try {
    return [make()];
  } catch (failure) {
    const { stderr, message } = failure as { stderr?: Buffer; message: string };
    const reason = String(stderr ?? '')
      .trim()
      .split('\n')
      .at(-1);
    console.error(`SKIPPED: ${name}, because it cannot be installed here.\n${reason || message}`);
    return [];
  }
}

/** The money was on: every call of every round is in the books, to the nano-dollar. */
async function ledgerMetrics(stage: Stage): Promise<BenchMetric[]> {
  const { usage, off, held } = await stage.totals();
  return [
    { name: 'billed in all rounds', value: Number(usage) / 1e9, unit: 'USD' },
    { name: 'drift and holds left', value: Number(off + held), unit: 'nano-USD', most: 0 },
  ];
}

/** From the start of a process to the end of one whole chat answer: the median of several starts, milliseconds. */
async function measureStarts(contestant: Contestant): Promise<number> {
  const startMs: number[] = [];
  const firstMs = performance.now();
  for (let start = 0; start < STARTS && performance.now() - firstMs < LONG_MS; start += 1) {
    const startedMs = performance.now();
    const running = await contestant.start();
    try {
      await overPool(running.url, 1, (pool) => callOnce(pool, contestant.request(CHAT, 0)));
      startMs.push(performance.now() - startedMs);
    } finally {
      await running.stop();
    }
  }
  return median(startMs);
}
