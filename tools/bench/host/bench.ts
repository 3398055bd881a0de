/** The shared host under many calls at once, and under the end of it. */
import type { Figure } from '../harness/report.ts';
import { KILLED_ANSWER, measureKills } from './kills.ts';
import { measureOpenStreams, OPEN_ANSWER, WARM_UP_ANSWER } from './open-streams.ts';
import { measureRounds, QUICK_ANSWER } from './rounds.ts';
import { openStage, type Stage } from './stage.ts';

export async function measureHost(): Promise<readonly Figure[]> {
  const streams = (count: number, perSecond: number, isPromised: boolean) =>
    onStage([OPEN_ANSWER, WARM_UP_ANSWER], (stage) =>
      measureOpenStreams(stage, { count, perSecond, isPromised }),
    );
  return [
    ...(await onStage([QUICK_ANSWER], measureRounds)),
    ...(await streams(1_000, 50, true)),
    ...(await streams(5_000, 100, false)),
    ...(await onStage([KILLED_ANSWER], measureKills)),
  ];
}

async function onStage(
  upstreams: readonly string[],
  measure: (stage: Stage) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const stage = await openStage(upstreams);
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}
