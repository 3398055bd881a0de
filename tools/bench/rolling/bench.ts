/** Hosts of the newest release and of the version after it replace each other under calls: `npm run bench -- rolling`. */
import { drawsOf } from '../../test-kit/seed.ts';
import type { BenchMetric } from '../harness/report.ts';
import { Programs, type ProgramVersion, releasedVersion } from './programs.ts';
import { playRollout, type RolloutStep } from './rollout.ts';

/** Forward and back, drained in turn, then killed in turn. */
const ROUND: readonly RolloutStep[] = ['drain', 'drain', 'kill', 'kill'];
const ROUNDS = 2;

const rounds = (count: number): readonly RolloutStep[] => Array.from({ length: count }, () => ROUND).flat();

const MIN_CALLS = 10_000;

export async function measureRolling(): Promise<readonly BenchMetric[]> {
  const versions: Readonly<Record<'old' | 'next', ProgramVersion>> = {
    old: releasedVersion(),
    next: 'tree',
  };
  const programs = new Programs();
  const { differences, failures, ...counts } = await playRollout({
    ...versions,
    programs,
    steps: [...rounds(ROUNDS), 'drain', 'finish', 'drain', 'drain', 'kill', 'kill', 'drain'],
    callsBetween: 400,
    draw: drawsOf('rolling'),
  }).finally(() => programs.close());
  for (const failure of failures) console.error(failure);
  const note = `${versions.old} and ${versions.next}`;
  const none = (name: string, value: bigint | number, unit: string): BenchMetric => ({
    name,
    value: Number(value),
    unit,
    most: 0,
  });
  return [
    { name: 'calls', value: counts.calls, unit: 'calls', least: MIN_CALLS, note },
    { name: 'accounts', value: counts.accounts, unit: 'accounts' },
    { name: 'replaced hosts', value: counts.replacedHosts, unit: 'hosts' },
    none('failed calls', failures.length, 'calls'),
    { name: 'calls that ended on a draining host', value: counts.drainedCalls, unit: 'calls' },
    { name: 'calls that a killed host cut', value: counts.cut, unit: 'calls' },
    { name: 'replays by the other version', value: counts.replayedByOther, unit: 'calls' },
    { name: 'calls rejected by a cap', value: counts.overCap, unit: 'calls' },
    none('ledger off', differences.drift, 'nano-USD'),
    none('held after a sweep', differences.held, 'nano-USD'),
    none('spent beyond a cap', differences.overCaps, 'nano-USD'),
    none('missing of a cap', differences.missingOfCaps, 'nano-USD'),
    none('calls without a record', differences.callsWithoutRecord, 'calls'),
    none('records without a call', differences.recordsWithoutCall, 'records'),
    none('lost fields of the later layout', differences.lostFields, 'keys'),
  ];
}
