/** The shared host under many calls at once, and under the end of it. */
import type { BenchMetric } from '../harness/report.ts';
import { KILLED_RESPONSE, measureKills } from './kills.ts';
import { measureOpenStreams, OPEN_RESPONSE, WARM_UP_RESPONSE } from './open-streams.ts';
import { measureRounds, QUICK_RESPONSE } from './rounds.ts';
import { openStage, type Stage } from './stage.ts';

export async function measureHost(): Promise<readonly BenchMetric[]> {
  const streams = (count: number, perSecond: number, isPromised: boolean) =>
    onStage([OPEN_RESPONSE, WARM_UP_RESPONSE], (stage) =>
      measureOpenStreams(stage, { count, perSecond, isPromised }),
    );
  return [
    ...(await onStage([QUICK_RESPONSE], measureRounds)),
    ...(await streams(1_000, 50, true)),
    ...(await streams(5_000, 100, false)),
    ...(await onStage([KILLED_RESPONSE], measureKills)),
  ];
}

async function onStage(
  upstreams: readonly string[],
  measure: (stage: Stage) => Promise<readonly BenchMetric[]>,
): Promise<readonly BenchMetric[]> {
  const stage = await openStage(upstreams);
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}
