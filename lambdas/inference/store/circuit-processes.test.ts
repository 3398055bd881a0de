import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { ForkedProcesses } from '../../../tools/test-kit/forked-processes.ts';
import { COOLDOWN_MS } from '../core/circuit/circuit.ts';
import type { Drill, DrillResult } from '../testing/circuit-process.ts';

const PROCESSES = 8;

/** Between two calls of a process, by its clock. */
const STEP_MS = 25;

/** Maximum age of a process's knowledge, with a margin for the read that refreshes it. */
const CHECK_MS = 2_000 + 10 * STEP_MS;

let database: TestDatabase;
let processes: ForkedProcesses;

beforeAll(async () => {
  const script = join(import.meta.dirname, '..', 'testing', 'circuit-process.ts');
  [processes, database] = await Promise.all([ForkedProcesses.start(script, PROCESSES), startDatabase()]);
}, 60_000);

afterAll(async () => {
  await processes.end();
  await database.stop();
});

const startMs = Date.now();

/** Calls of all processes at once, over and over; gives what each has seen, and the sum of it. */
async function drill({
  durationMs,
  isDead,
  aheadMs,
}: {
  durationMs: number;
  isDead: boolean;
  aheadMs: number;
}) {
  const { endpoint, tables } = database;
  const results = Array.from({ length: PROCESSES }, () => ({ tries: 0, skipped: 0, lastTryMs: 0 }));
  const sum = { tries: 0, probes: 0, openings: 0, opened: 0, closed: 0, writes: 0, reads: 0 };
  for (let ms = 0; ms < durationMs; ms += STEP_MS) {
    const drillRequest: Drill = { endpoint, table: tables.circuits, isDead, nowMs: startMs + aheadMs + ms };
    for (const [index, drillResult] of (await processes.ask<DrillResult>(() => drillRequest)).entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if (drillResult.outcome === 'skipped') result.skipped += 1;
      else {
        result.tries += 1;
        result.lastTryMs = ms;
      }
      if (drillResult.outcome === 'probed') sum.probes += 1;
      sum.openings += drillResult.openings;
      sum.opened += drillResult.lines.filter((line) => line === 'circuit opened').length;
      sum.closed += drillResult.lines.filter((line) => line === 'circuit closed').length;
      sum.writes += drillResult.writes;
      sum.reads += drillResult.reads;
    }
  }
  sum.tries = results.reduce((total, { tries }) => total + tries, 0);
  return { results, ...sum };
}

describe(`a route that ${PROCESSES} processes on one database share`, () => {
  it('receives no more calls from any process after a few attempts each if it is dead, and one of them reports that', async () => {
    const { results, tries, openings, opened, writes } = await drill({
      durationMs: 6_000,
      isDead: true,
      aheadMs: 0,
    });
    expect({ openings, opened }).toEqual({ openings: 1, opened: 1 });
    for (const result of results) {
      // Four alone, two while the first failures of the others are taken for one call in three, one before it knows.
      expect(result.tries).toBeLessThanOrEqual(7);
      expect(result.lastTryMs).toBeLessThan(CHECK_MS);
      expect(result.skipped).toBeGreaterThan(10);
    }
    expect(tries).toBeGreaterThanOrEqual(5);
    expect(tries).toBeLessThanOrEqual(4 * PROCESSES);
    expect(writes).toBeLessThan(20 * PROCESSES);
  });

  it('gets one probe after the cooldown, and none for another cooldown when that fails', async () => {
    const aheadMs = COOLDOWN_MS;
    const { tries, probes, openings, writes } = await drill({ durationMs: 3_000, isDead: true, aheadMs });
    expect({ tries, probes, openings }).toEqual({ tries: 1, probes: 1, openings: 0 });
    // A claim of each at the most, the verdict of one, and its failure in the shared circuit.
    expect(writes).toBeLessThanOrEqual(PROCESSES + 2);
  });

  it('receives calls from all of them within one refresh after a successful probe', async () => {
    const aheadMs = 2 * COOLDOWN_MS;
    const recovering = await drill({ durationMs: 4_000, isDead: false, aheadMs });
    expect(recovering).toMatchObject({ probes: 1, closed: 1, openings: 0 });
    for (const { lastTryMs, tries } of recovering.results) {
      expect(tries).toBeGreaterThan(3);
      expect(lastTryMs).toBeGreaterThan(3_000);
    }
  });

  it('costs no write when it works, and a read of each process every two seconds', async () => {
    const { tries, writes, reads } = await drill({
      durationMs: 3_000,
      isDead: false,
      aheadMs: 2 * COOLDOWN_MS,
    });
    expect(tries).toBeGreaterThan(PROCESSES * 10);
    expect(writes).toBe(0);
    expect(reads).toBeLessThanOrEqual(PROCESSES * 3);
  });
});
