/** What the nightly audit costs and how far it reaches: reads an account, and a million accounts in simulated time. */
import type { Figure } from '../../harness/report.ts';
import { type Night, simulateNight } from './night.ts';
import { measureReads } from './reads.ts';

const ACCOUNTS = 1_000_000;

/** Of one execution (AWS Step Functions service quotas). */
const MAX_EVENTS = 25_000;

/** The function's limit, which a step must end well before. */
const MAX_STEP_SECONDS = 900;

const DAY_SECONDS = 86_400;

const NOTE = 'in simulated time: 20 ms a read, 8 segments, 8 accounts of each at once';

export async function measureAudit(): Promise<readonly Figure[]> {
  const population = { accounts: ACCOUNTS, failing: [7], moving: [500_000], drifting: [999_999] };
  const night = await simulateNight(population);
  return [...(await measureReads()), ...figuresOf(night)];
}

function figuresOf({ audited, named, steps, longestStepSeconds, seconds, events }: Night): readonly Figure[] {
  const { books, accounts = 0 } = audited ?? {};
  const at = '1,000,000 accounts';
  return [
    { name: `${at}: audited`, value: accounts, unit: 'accounts', least: ACCOUNTS, note: NOTE },
    { name: `${at}: planted drift`, value: Number(books?.drift), unit: 'nano-USD', least: 1, most: 1 },
    {
      name: `${at}: unproven, of 2 planted`,
      value: Number(books?.unproven),
      unit: 'accounts',
      least: 2,
      most: 2,
    },
    { name: `${at}: named in the log, of 3`, value: named.length, unit: 'accounts', least: 3, most: 3 },
    { name: `${at}: time`, value: seconds, unit: 's', most: DAY_SECONDS / 4 },
    { name: `${at}: steps`, value: steps, unit: '' },
    { name: `${at}: longest step`, value: longestStepSeconds, unit: 's', most: MAX_STEP_SECONDS * 0.9 },
    { name: `${at}: events of the execution`, value: events, unit: '', most: MAX_EVENTS / 10 },
    {
      // 7 events a step, and 8 segments of a step in 10 minutes.
      name: 'events of an execution that takes a whole day',
      value: (8 * 7 * DAY_SECONDS) / 600,
      unit: '',
      most: MAX_EVENTS,
    },
  ];
}
