/** Fires the scheduled rules: each at its next time, then at the one after. */
import type { ScheduleDescription, ScheduleTarget } from '../assembly/schedules.ts';
import { startDueTimer } from './due-timer.ts';
import { nextTime } from './schedule-expression.ts';

export interface SchedulerOptions {
  readonly schedules: readonly ScheduleDescription[];
  /** Delivers an event (JSON) to a target; its failure is logged, as EventBridge would retry and give up. */
  readonly deliver: (target: ScheduleTarget, event: string, ruleArn: string) => Promise<void>;
  readonly log: (line: string) => void;
}

/** Returns a function that stops it. Throws at once when an expression cannot be read. */
export function startScheduler({ schedules, deliver, log }: SchedulerOptions): () => void {
  const timers = schedules.map((schedule) => {
    const { name, arn, expression, targets } = schedule;
    let nextMs = nextTime(expression, Date.now());
    return startDueTimer({
      next: () => nextMs,
      run(dueMs) {
        for (const target of targets)
          deliver(target, target.input ?? scheduledEvent(schedule, dueMs), arn).catch((failure: Error) =>
            log(`${name}: ${failure.message}`),
          );
        nextMs = nextTime(expression, dueMs);
      },
    });
  });
  return () => {
    for (const { stop } of timers) stop();
  };
}

/** The event a rule sends when a target names no input (EventBridge user guide, scheduled events). */
function scheduledEvent({ arn, expression }: ScheduleDescription, dueMs: number): string {
  return JSON.stringify({
    version: '0',
    id: `${dueMs}-${expression}`,
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    time: new Date(dueMs).toISOString(),
    resources: [arn],
    detail: {},
  });
}
