/** On a schedule: deletes the recordings, transcripts and jobs that crashed calls have left. */
import type { Clock, Log } from '../../../platform/core/ports.ts';

/** Deletes what no call can still use at that time; returns its number. */
type RemoveLeft = (nowMs: number) => Promise<number>;

export interface RecordingSweepDependencies {
  readonly objects: RemoveLeft;
  readonly jobs: RemoveLeft;
  /** Receives the number of objects and jobs that a run has deleted, if there were any. */
  readonly onSwept: (count: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Throws after both lists were tried, so that the failure of one leaves nothing of the other. */
export const sweepRecordings =
  ({ objects, jobs, onSwept, clock, log }: RecordingSweepDependencies) =>
  async (): Promise<void> => {
    const nowMs = clock();
    const results = await Promise.allSettled([objects(nowMs), jobs(nowMs)]);
    const [removedObjects = 0, removedJobs = 0] = results.map((each) =>
      each.status === 'fulfilled' ? each.value : 0,
    );
    if (removedObjects + removedJobs > 0) {
      log.warn('recordings swept', { objects: removedObjects, jobs: removedJobs });
      onSwept(removedObjects + removedJobs);
    }
    for (const each of results) if (each.status === 'rejected') throw each.reason;
  };
