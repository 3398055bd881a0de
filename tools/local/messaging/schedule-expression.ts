/** The times of a schedule (EventBridge user guide, "Schedule types"): fixed rates, and cron with six fields in UTC. */
import { Cron } from 'croner';

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The next time after `afterMs`; undefined when there is none. Throws an error that quotes what it cannot read. */
export function nextTime(expression: string, afterMs: number): number | undefined {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate !== null) return afterMs + Number(rate[1]) * (UNIT_MS[rate[2] ?? ''] ?? 0);
  const cron = /^cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)$/.exec(expression);
  if (cron === null) throw new Error(`not a schedule expression: ${expression}`);
  const [, minute, hour, dayOfMonth, month, dayOfWeek = '*', year] = cron;
  const pattern = ['0', minute, hour, any(dayOfMonth), month, fromSunday(any(dayOfWeek)), year].join(' ');
  return new Cron(pattern, { timezone: 'UTC', paused: true }).nextRun(new Date(afterMs))?.getTime();
}

/** `?` says that the other of the two day fields decides. */
const any = (field = '*') => (field === '?' ? '*' : field);

/** EventBridge counts the days of the week from 1, Sunday; cron from 0. Names are the same. */
const fromSunday = (field: string) => field.replace(/[1-7]/g, (day) => String(Number(day) - 1));
