/** The shared host under many calls at once. */
import type { BenchMetric } from '../harness/report.ts';
import { measureOpenStreams, OPEN_RESPONSE } from './open-streams.ts';
import { measureRounds } from './rounds.ts';
import { openStage, type Stage } from './stage.ts';
import { LONG_RESPONSE, measureStalledReaders } from './stalled-readers.ts';

export const measureHost = async (): Promise<readonly BenchMetric[]> => [
  ...(await onStage(measureRounds)),
  ...(await onStage((stage) => measureOpenStreams(stage, { count: 1_000, perSecond: 50, isPromised: true }))),
  ...(await onStage((stage) =>
    measureOpenStreams(stage, { count: 5_000, perSecond: 100, isPromised: false }),
  )),
];

/** Readers that stop reading. */
export const measureReaders = (): Promise<readonly BenchMetric[]> => onStage(measureStalledReaders);

async function onStage(
  measure: (stage: Stage) => Promise<readonly BenchMetric[]>,
): Promise<readonly BenchMetric[]> {
  const stage = await openStage(OPEN_RESPONSE, LONG_RESPONSE);
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}
