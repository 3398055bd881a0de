/** Us and others who do the same work, side by side: the same calls, the same upstream, the same machine, in turns. */

import { CASES } from '../harness/load/cases.ts';
import { closedLoop } from '../harness/load/loops.ts';
import type { BenchMetric } from '../harness/report.ts';
import { auditOf } from '../harness/service/account.ts';
import { median } from '../harness/statistics.ts';
import { residentMbOf } from '../harness/weigh.ts';
import { BARE } from './bare.ts';
import type { Contestant } from './contestant.ts';
import { caseMetrics, goalMetrics, type Weight, weightMetrics } from './figures.ts';
import { openRing, type Ring } from './ring.ts';
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
  const ring = await openRing();
  // Not before: what the first run installs is no part of it.
  const deadlineMs = performance.now() + RUN_MS;
  try {
    const startMs = new Map<string, number>();
    for (const contestant of ring.contestants.filter(({ name }) => name !== BARE))
      startMs.set(contestant.name, await measureStarts(contestant));
    return await withAll(ring.contestants, (started) =>
      measureStarted(ring, started, { startMs, deadlineMs }),
    );
  } finally {
    await ring.close();
  }
}

async function measureStarted(
  ring: Ring,
  started: readonly ContestantStart[],
  { startMs, deadlineMs }: { readonly startMs: ReadonlyMap<string, number>; readonly deadlineMs: number },
): Promise<readonly BenchMetric[]> {
  await warmUp(started);
  const measured = await measureRounds(ring, started, deadlineMs);
  const samples = new Samples(measured);
  const weights = started
    .filter(({ contestant }) => startMs.has(contestant.name))
    .map(
      ({ contestant: { name }, running }): Weight => ({
        contestant: name,
        residentMb: residentMbOf(running.pid),
        startMs: startMs.get(name) ?? Number.NaN,
      }),
    );
  return [
    ...goalMetrics(samples),
    ...(await ledgerMetrics(ring)),
    { name: 'rounds', value: 1 + Math.max(...measured.map(({ round }) => round)), unit: '' },
    ...weightMetrics(weights),
    ...caseMetrics(
      samples,
      started.map(({ contestant }) => contestant.name),
    ),
  ];
}

/** The money was on: every call of every round is in the books, to the nano-dollar. */
async function ledgerMetrics({ database, accountIds }: Ring): Promise<BenchMetric[]> {
  let [usage, off] = [0n, 0n];
  for (const accountId of accountIds) {
    const totals = await auditOf(database.connect(), database.environment, accountId);
    usage += totals.usage;
    off += totals.drift + totals.held;
  }
  return [
    { name: 'billed in all rounds', value: Number(usage) / 1e9, unit: 'USD' },
    { name: 'drift and holds left', value: Number(off), unit: 'nano-USD', most: 0 },
  ];
}

async function withAll<T>(
  contestants: readonly Contestant[],
  work: (started: readonly ContestantStart[]) => Promise<T>,
): Promise<T> {
  const started: ContestantStart[] = [];
  try {
    for (const contestant of contestants) started.push({ contestant, running: await contestant.start() });
    return await work(started);
  } finally {
    for (const { running } of started) await running.stop();
  }
}

/** From the start of a process to the end of one whole chat answer: the median of several starts, milliseconds. */
async function measureStarts(contestant: Contestant): Promise<number> {
  const [chat] = CASES;
  if (chat === undefined) return Number.NaN;
  const startMs: number[] = [];
  const firstMs = performance.now();
  for (let start = 0; start < STARTS && performance.now() - firstMs < LONG_MS; start += 1) {
    const startedMs = performance.now();
    const running = await contestant.start();
    try {
      // A window of no length: one call.
      await closedLoop({ url: running.url, next: () => contestant.request(chat, 0), windowMs: 1 }, 1);
      startMs.push(performance.now() - startedMs);
    } finally {
      await running.stop();
    }
  }
  return median(startMs);
}
