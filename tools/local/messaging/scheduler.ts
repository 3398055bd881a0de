/** Fires the scheduled rules: each at its next time, then at the one after. */
import type { ScheduleDescription, ScheduleTarget } from '../assembly/schedules.ts';
import { nextTime } from './schedule-expression.ts';

export interface SchedulerOptions {
  readonly schedules: readonly ScheduleDescription[];
  /** Delivers an event (JSON) to a target; its failure is logged, as EventBridge would retry and give up. */
  readonly deliver: (target: ScheduleTarget, event: string, ruleArn: string) => Promise<void>;
  readonly log: (line: string) => void;
}

/** A timer of Node holds at most 2^31-1 ms; a wait longer than this is cut and looked at again. */
const LONGEST_TIMER_MS = 86_400_000;

/** Returns a function that stops it. Throws at once when an expression cannot be read. */
export function startScheduler({ schedules, deliver, log }: SchedulerOptions): () => void {
  const stops = schedules.map((schedule) => startSchedule(schedule, deliver, log));
  return () => {
    for (const stop of stops) stop();
  };
}

function startSchedule(
  schedule: ScheduleDescription,
  deliver: SchedulerOptions['deliver'],
  log: SchedulerOptions['log'],
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const arm = (dueMs: number | undefined) => {
    if (dueMs === undefined) return;
    timer = setTimeout(
      () => (Date.now() < dueMs ? arm(dueMs) : fire(dueMs)),
      Math.min(Math.max(0, dueMs - Date.now()), LONGEST_TIMER_MS),
    );
  };
  const fire = (dueMs: number) => {
    for (const target of schedule.targets) {
      const event = target.input ?? scheduledEvent(schedule, dueMs);
      deliver(target, event, schedule.arn).catch((failure: Error) =>
        log(`${schedule.name}: ${failure.message}`),
      );
    }
    arm(nextTime(schedule.expression, dueMs));
  };
  arm(nextTime(schedule.expression, Date.now()));
  return () => clearTimeout(timer);
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
