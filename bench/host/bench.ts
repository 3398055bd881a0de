/** The shared host under many calls at once, and under the end of it. */
import type { Figure } from '../harness/report.ts';
import { KILLED_ANSWER, measureKills } from './kills.ts';
import { measureOpenStreams, OPEN_ANSWER, WARM_UP_ANSWER } from './open-streams.ts';
import { openStage } from './stage.ts';

export async function measureHost(): Promise<readonly Figure[]> {
  const stage = await openStage([OPEN_ANSWER, WARM_UP_ANSWER, KILLED_ANSWER]);
  try {
    return [
      ...(await measureOpenStreams(stage, { count: 1_000, perSecond: 50, isPromised: true })),
      ...(await measureOpenStreams(stage, { count: 5_000, perSecond: 100, isPromised: false })),
      ...(await measureKills(stage)),
    ];
  } finally {
    await stage.close();
  }
}
