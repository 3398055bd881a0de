/** Tries that a caller receives and pays the same however the reads of a connection cut an upstream's stream. */
import { SPLIT_CASES, trySplits } from '../../../lambdas/inference/testing/completions/split-streams.ts';
import type { BenchMetric } from '../harness/report.ts';

/** For each protocol of a route in each format. The tests try 200. */
const SPLITS = 10_000;

/** Throws for the first split that changes anything. */
export async function measureSplits(): Promise<readonly BenchMetric[]> {
  const metrics: BenchMetric[] = [];
  for (const splitCase of SPLIT_CASES) {
    await trySplits(splitCase, SPLITS);
    const name = `${splitCase.name} over ${splitCase.protocol}: same bytes, bill and record`;
    metrics.push({ name, value: SPLITS, unit: 'splits', least: SPLITS });
  }
  const total = SPLITS * metrics.length;
  return [{ name: 'same bytes, bill and record', value: total, unit: 'splits', least: total }, ...metrics];
}
