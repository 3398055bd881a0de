/**
 * `npm run bench -- soak [--minutes N]`: an hour of mixed traffic on the shared host and, at the same time, on functions;
 * what each process holds after each minute, and the growth of that in the last half hour.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Operator } from '../../../operator/operator.ts';
import type { BenchMetric } from '../harness/report.ts';
import { RESULTS } from '../harness/results.ts';
import { growths, MEASURES, SLOPE_SAMPLES } from './growth.ts';
import { type Compute, HOLD_TTL_SECONDS, type SoakService, startSoaked } from './service.ts';
import { MixedTraffic, startReceiver } from './traffic.ts';

/** Leases of a host close within two seconds of the last call, and idle connections to routes in about four. */
const QUIET_MS = 8_000;

/** A busy machine rejects calls for lack of capacity; above this, the run was no soak. */
const MAX_FAILED_PERCENT = 2;

const MINUTE_MS = 60_000;

interface StoredTotals {
  readonly bytes: number;
  readonly records: number;
}

interface SoakRun {
  readonly service: SoakService;
  readonly traffic: MixedTraffic;
  readonly stored: StoredTotals[];
}

export async function measureSoak(options: readonly string[] = []): Promise<readonly BenchMetric[]> {
  const { values } = parseArgs({
    args: [...options],
    options: { minutes: { type: 'string', default: '60' } },
  });
  const minutes = Number(values.minutes);
  const folder = mkdtempSync(join(tmpdir(), 'bench-soak-'));
  const receiver = await startReceiver();
  const soaked: SoakRun[] = [];
  try {
    for (const compute of ['host', 'functions'] satisfies Compute[]) {
      const service = await startSoaked(compute, join(folder, compute));
      const traffic = new MixedTraffic(service, receiver.url);
      soaked.push({ service, traffic, stored: [] });
      await traffic.warmUp();
    }
    for (let minute = 1; minute <= minutes; minute += 1) {
      const startedMs = performance.now();
      await Promise.all(soaked.map(({ traffic }) => traffic.runMinute()));
      await sleep(QUIET_MS);
      for (const each of soaked) await sample(each);
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      const failed = soaked.map(({ traffic }) => traffic.failureCount).join(' and ');
      console.error(`minute ${minute} of ${minutes}: ${seconds} s, failed: ${failed}`);
      await sleep(Math.max(0, startedMs + MINUTE_MS - performance.now()));
    }
    writeSamples(soaked);
    return (await Promise.all(soaked.map(figuresOf))).flat();
  } finally {
    for (const { service } of soaked) await service.close();
    receiver.server.close();
    receiver.server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sample({ service, stored }: SoakRun): Promise<void> {
  await service.processes.sample();
  stored.push(service.stored());
}

/** The bytes that a record added, with all other items that its call wrote. */
function bytesPerRecord(from: StoredTotals | undefined, to: StoredTotals | undefined): number {
  if (from === undefined || to === undefined) return Number.NaN;
  return (to.bytes - from.bytes) / (to.records - from.records);
}

async function figuresOf({ service, traffic, stored }: SoakRun): Promise<readonly BenchMetric[]> {
  const { compute, processes, operator } = service;
  const last = Math.max(0, stored.length - SLOPE_SAMPLES);
  const perRecord = [bytesPerRecord(stored[0], stored[last]), bytesPerRecord(stored[last], stored.at(-1))];
  const rounds = stored.length;
  const measured = processes.measured();
  const whole = measured.filter(({ samples }) => samples.length >= Math.min(SLOPE_SAMPLES, rounds));
  const off = await auditedOff(operator);
  const prefix = `${compute}, `;
  const growth = whole
    .toSorted((a, b) => a.process.localeCompare(b.process))
    .flatMap((process) => growths(process, prefix));
  const failures = [...traffic.failures];
  return [
    { name: `${compute}: calls`, value: traffic.calls, unit: 'calls' },
    {
      name: `${compute}: calls that ended otherwise than they should`,
      value: (100 * traffic.failureCount) / traffic.calls,
      unit: '%',
      most: MAX_FAILED_PERCENT,
      ...(failures.length === 0
        ? {}
        : { note: failures.map(([reason, count]) => `${count} ${reason}`).join(' | ') }),
    },
    { name: `${compute}: processes`, value: whole.length, unit: 'processes' },
    {
      name: `${compute}: processes that ended`,
      value: measured.filter(({ isAlive }) => !isAlive).length,
      unit: 'processes',
      note: 'of functions that were idle, or a call of which ran out of time',
    },
    ...MEASURES.map((measure) => steepest(`${compute}: steepest ${measure}`, growth, `: ${measure}`)),
    { name: `${compute}: bytes a record, before`, value: perRecord[0] ?? Number.NaN, unit: 'B' },
    { name: `${compute}: bytes a record, last half hour`, value: perRecord[1] ?? Number.NaN, unit: 'B' },
    {
      name: `${compute}: bytes a record, last half hour to before`,
      value: (perRecord[1] ?? Number.NaN) / (perRecord[0] ?? Number.NaN),
      unit: 'times',
      most: 1.01,
    },
    { name: `${compute}: books off`, value: off, unit: 'nano-USD', most: 0 },
    ...growth,
  ];
}

/** The drift of all ledgers, once what a failed settlement has left open is recovered. */
async function auditedOff(operator: Operator): Promise<number> {
  let audit = await operator.audit(true);
  if (!audit.exact || audit.held > 0n) {
    await sleep(1000 * HOLD_TTL_SECONDS);
    await operator.sweep();
    audit = await operator.audit(true);
  }
  return audit.unproven > 0 ? Number.NaN : Number(audit.drift);
}

/** The greatest growth of all processes. */
function steepest(name: string, growth: readonly BenchMetric[], ending: string): BenchMetric {
  const all = growth.filter((metric) => metric.name.endsWith(ending)).toSorted((a, b) => b.value - a.value);
  const [first] = all;
  if (first === undefined) return { name, value: Number.NaN, unit: 'more', most: 0 };
  return { ...first, name, note: `${first.name}: ${first.note}` };
}

/** A line for each process and measure, with the values of all minutes. */
function writeSamples(soaked: readonly SoakRun[]): void {
  const lines = soaked.flatMap(({ service, stored }) => [
    ...service.processes
      .measured()
      .flatMap(({ process, samples }) =>
        ([...MEASURES, 'resident'] as const).map(
          (measure) =>
            `${service.compute}, ${process}, ${measure} from ${samples[0]?.round}: ` +
            samples.map((sample) => Math.round(sample[measure])).join(' '),
        ),
      ),
    `${service.compute}, bytes stored: ${stored.map(({ bytes }) => bytes).join(' ')}`,
    `${service.compute}, records: ${stored.map(({ records }) => records).join(' ')}`,
  ]);
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(join(RESULTS, `${day}-soak-samples.txt`), `${lines.join('\n')}\n`);
}
