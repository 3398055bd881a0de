import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fixturesOf } from '../../bench/cost/fixtures.ts';
import { readMeasured } from '../../bench/cost/measured.ts';
import { CHUNK_BYTES, compareMemory, costOf, idleCost, total } from '../../bench/cost/model.ts';
import { bill, USUAL } from '../../bench/cost/run.ts';
import { METRICS } from '../../lambdas/contract/metrics.ts';
import { SynthesizedApp } from '../lib/synthesized-app.ts';

const measured = {
  writeUnits: 5,
  writeUnitsIdempotent: 7,
  cpuMs: 0.9,
  initMs: 80,
};

const of = (service: string, traffic: Partial<typeof USUAL> = {}): number =>
  costOf({ ...USUAL, ...traffic }, measured).find((line) => line.service === service)?.usd ?? Number.NaN;

describe('the cost of calls', () => {
  it('is what the public price lists come to', () => {
    // 5 s of half a GB, a million times: 2.5 million GB-seconds.
    expect(of('Lambda')).toBeCloseTo(2.5e6 * 0.0000133334 + 0.2, 6);
    expect(of('API Gateway')).toBeCloseTo(3.5, 6);
    expect(of('DynamoDB')).toBeCloseTo(5 * 0.625, 6);
    expect(of('Data out')).toBeCloseTo(((700 + 300 * CHUNK_BYTES) / 1e9) * 1e6 * 0.09, 6);
  });

  it('grows with the calls, and with nothing else when there are none', () => {
    expect(total(costOf({ ...USUAL, calls: 2e6 }, measured))).toBeCloseTo(
      2 * total(costOf(USUAL, measured)),
      6,
    );
    expect(total(costOf({ ...USUAL, calls: 0 }, measured))).toBe(0);
  });

  it('counts idempotent calls by the units that they take, and long streams as several requests', () => {
    expect(of('DynamoDB', { idempotent: 0.5 })).toBeCloseTo(6 * 0.625, 6);
    expect(of('API Gateway', { tokens: 50_000 })).toBeCloseTo(2 * 3.5, 6);
  });

  it('of Lambda goes with the memory, and speed with the share of a core', () => {
    const [small, large] = compareMemory(USUAL, measured, [256, 3538]);
    expect(small?.usd).toBeCloseTo(of('Lambda', { memoryMb: 256 }), 6);
    expect(small?.initMs).toBeCloseTo(80 * (1769 / 256), 6);
    // More than a core does not make one thread faster.
    expect(large?.initMs).toBe(80);
  });
});

describe('the cost model', () => {
  it('takes its counts from results that are there', () => {
    const counts = Object.values(readMeasured());
    expect(counts.length).toBeGreaterThan(3);
    for (const value of counts) expect(value).toBeGreaterThan(0);
  });

  it('is in the operator’s page as it stands', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operate.md'), 'utf8');
    expect(page).toContain(bill(costOf(USUAL, readMeasured()), '1,000,000 calls'));
  });

  it('of a deployment without traffic stays under 50 dollars a month', () => {
    const fixtures = fixturesOf(Object.values(new SynthesizedApp().templates), Object.keys(METRICS).length);
    expect(fixtures.alarms).toBeGreaterThan(5);
    expect(fixtures.secrets).toBeGreaterThan(2);
    expect(total(idleCost(fixtures))).toBeLessThan(50);
  });
});
