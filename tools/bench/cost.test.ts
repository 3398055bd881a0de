import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { readPage } from '../../test/docs/pages.ts';
import { CONFIGURATIONS, type ConfigurationName } from '../../test/template/configurations.ts';
import { SynthesizedApp, temporaryFolder } from '../../test/template/synthesized-app.ts';
import { apart, breakEven, DATA_OUT, fargateCost, tasksAt } from './cost/computes.ts';
import { fixturesOf } from './cost/fixtures.ts';
import { marketCost, readMarketUnits } from './cost/market.ts';
import { readMeasured } from './cost/measured.ts';
import { CHUNK_BYTES, costOf, idleCost, total } from './cost/model.ts';
import { USUAL } from './cost/run.ts';
import { bill } from './cost/tables.ts';

/** A month of the default settings. An alarm of a metric adds 0.10 USD. */
const MAX_IDLE_USD = 16;

const measured = {
  hostCpuMs: 9,
  chunkCpuMs: 0.01,
  writeUnits: 5,
  writeUnitsIdempotent: 7,
  leasedWriteUnits: 1.6,
};

const of = (service: string, traffic: Partial<typeof USUAL> = {}): number =>
  costOf({ ...USUAL, ...traffic }, measured).find((line) => line.service === service)?.usd ?? Number.NaN;

describe('the cost of calls', () => {
  it('equals the total by the public price lists', () => {
    // 5 s of half a GB, a million times: 2.5 million GB-seconds.
    expect(of('Lambda')).toBeCloseTo(2.5e6 * 0.0000133334 + 0.2, 6);
    expect(of('API Gateway')).toBeCloseTo(3.5, 6);
    expect(of('DynamoDB')).toBeCloseTo(5 * 0.625, 6);
    // Five looks of half a unit, and one of a whole.
    expect(of('DynamoDB, reads')).toBeCloseTo(3.5 * 0.125, 6);
    expect(of('Data out')).toBeCloseTo(((700 + 300 * CHUNK_BYTES) / 1e9) * 1e6 * 0.09, 6);
  });

  it('counts idempotent calls by the units that they take, and long streams as several requests', () => {
    expect(of('DynamoDB', { idempotent: 0.5 })).toBeCloseTo(6 * 0.625, 6);
    expect(of('API Gateway', { tokens: 50_000 })).toBeCloseTo(2 * 3.5, 6);
    expect(of('DynamoDB', { capped: 1 })).toBeCloseTo(6 * 0.625, 6);
  });
});

describe('the cost of calls on a host', () => {
  const on = (service: string, lines: readonly { readonly service: string; readonly usd: number }[]) =>
    lines.find((line) => line.service === service)?.usd ?? Number.NaN;
  const at = (callsPerSecond: number, traffic: Partial<typeof USUAL> = {}) =>
    fargateCost({ ...USUAL, ...traffic, callsPerSecond }, measured);

  it('equals the total by the public price lists', () => {
    // A million calls at ten a second are 27.8 hours of two tasks of 1 vCPU and 2 GB with an address each.
    const hours = 1e6 / 10 / 3600;
    expect(on('Fargate', at(10))).toBeCloseTo(hours * 2 * (0.03238 + 2 * 0.00356 + 0.005), 6);
    const gigabytes = (USUAL.promptBytes + 700 + 300 * CHUNK_BYTES) / 1e3;
    expect(on('Load balancer', at(10))).toBeCloseTo(hours * 0.0225 + gigabytes * 0.008, 6);
    expect(on('CloudFront', at(10))).toBeCloseTo(1 + 0.1 + 0.04, 6);
    expect(on('DynamoDB', at(10))).toBeCloseTo(1.6 * 0.625, 6);
    // Keys that rarely make a call cost as much as on a function.
    expect(on('DynamoDB', at(1))).toBeCloseTo(5 * 0.625, 6);
    expect(on('DynamoDB, reads', at(10))).toBeNaN();
    expect(on(DATA_OUT, at(10))).toBeCloseTo(((700 + 300 * CHUNK_BYTES) / 1e9) * 1e6 * 0.085, 6);
  });

  it('covers the tasks that the open calls or the CPU of the calls need, and at least two', () => {
    const tasks = (rate: number, traffic: Partial<typeof USUAL> = {}) =>
      tasksAt(rate, { ...USUAL, ...traffic }, measured);
    expect(tasks(1)).toBe(2);
    // 2,400 open calls, 300 a task.
    expect(tasks(240, { seconds: 10 })).toBe(8);
    // 200 calls of 12 ms are 2.4 vCPU, of which a task has 0.7.
    expect(tasks(200, { seconds: 0.5 })).toBe(4);
  });

  it('decreases per call if more calls share the tasks, and equals Lambda’s at the break-even rate', () => {
    expect(total(at(30))).toBeLessThan(total(at(3)));
    const rate = breakEven(USUAL, measured) ?? Number.NaN;
    expect(apart(at(rate)).rest).toBeCloseTo(apart(costOf(USUAL, measured)).rest, 6);
    expect(apart(at(rate * 1.1)).rest).toBeLessThan(apart(costOf(USUAL, measured)).rest);
    expect(apart(at(rate / 1.1)).rest).toBeGreaterThan(apart(costOf(USUAL, measured)).rest);
  });

  it('reaches no break-even if Lambda is cheaper at any rate', () => {
    expect(breakEven({ ...USUAL, seconds: 0.01 }, { ...measured, hostCpuMs: 1_000 })).toBeUndefined();
  });

  it('totals less than 17 dollars for a million calls of 5 s, at the usual rate', () => {
    const counts = readMeasured();
    expect(total(fargateCost(USUAL, counts))).toBeLessThan(17);
    expect(total(costOf(USUAL, counts))).toBeGreaterThan(17);
  });
});

describe('the cost of the market', () => {
  const units = {
    'a sale': 20,
    'a maturity': 5,
    'a subscription': 25,
    'a renewal': 15,
    'a payout': 30,
    'a build': 10,
  };
  const of = (name: string, buildGb = 0.01) =>
    marketCost(units, buildGb).find(({ service }) => service === name)?.usd ?? Number.NaN;

  it('equals the total by the public price lists, a thousand of each', () => {
    expect(of('a sale')).toBeCloseTo(1000 * (20 * 0.625e-6 + 3.5e-6), 9);
    expect(of('a maturity')).toBeCloseTo(1000 * 5 * 0.625e-6, 9);
    expect(of('a renewal')).toBeCloseTo(1000 * 15 * 0.625e-6, 9);
    // 50 MB: 0.0047 USD.
    expect(of('the scan of a build', 0.05)).toBeCloseTo(4.715, 6);
    expect(of('the files of a build')).toBeCloseTo(0.01 + 10 * (1 + 7 / 30) * 0.023, 6);
    expect(of('a download of a build')).toBeCloseTo(0.0035 + 0.9, 6);
  });

  it('reads the measured write units of each operation', () => {
    for (const count of Object.values(readMarketUnits())) expect(count).toBeGreaterThan(4);
  });
});

describe('the cost model', () => {
  it('stays within the documented idle cost, which includes the polling of all queues in the templates', () => {
    const fixtures = fixturesOf(Object.values(new SynthesizedApp().templates));
    expect(fixtures.alarms).toBeGreaterThan(5);
    expect(fixtures.secrets).toBeGreaterThan(2);
    expect(fixtures.webAclRules).toBeGreaterThan(0);
    expect(fixtures.queueMappings).toBe(3);
    // The sweep of holds and the market's due items run every five minutes.
    expect(fixtures.scheduledRuns).toBeGreaterThanOrEqual(17_280);
    expect(total(idleCost(fixtures))).toBeLessThanOrEqual(MAX_IDLE_USD);
    for (const page of ['docs/operate.md', 'docs/operate/cost.md'])
      expect(readPage(page)).toContain(`$${MAX_IDLE_USD}`);
  });

  it.each(Object.keys(CONFIGURATIONS) as ConfigurationName[])(
    'knows the price of every resource of the configuration %s',
    (name) => {
      expect(total(idleCost(fixturesOf(Object.values(new SynthesizedApp(name).templates))))).toBeGreaterThan(
        10,
      );
    },
  );

  it('counts dashboards that have more metrics than are free', () => {
    const dashboard = (metrics: number) => ({
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardBody: JSON.stringify({
          widgets: [
            { properties: { metrics: Array.from({ length: metrics }, () => ['AWS/Lambda', 'Errors']) } },
          ],
        }),
      },
    });
    const counted = fixturesOf([{ Resources: { Within: dashboard(50), Over: dashboard(51) } }]);
    expect(counted.dashboards).toBe(1);
  });

  it('contains the price of every type of resource, and rejects an unknown one', () => {
    expect(() => fixturesOf([{ Resources: { Gateway: { Type: 'AWS::EC2::NatGateway' } } }])).toThrow(
      'AWS::EC2::NatGateway',
    );
  });
});

describe('npm run cost', () => {
  it.each<ConfigurationName>(['standard', 'fargate', 'fargate-ingress'])(
    'prints the idle cost of the settings in CONFIG: %s',
    async (name) => {
      const settings = join(temporaryFolder(), 'settings.json');
      writeFileSync(settings, JSON.stringify(CONFIGURATIONS[name]));
      // The CDK's own check of the templates takes half of the time.
      const env = { ...process.env, CONFIG: settings, CDK_VALIDATION: 'false' };
      const program = join(import.meta.dirname, 'cost', 'run.ts');
      const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
      const templates = Object.values(new SynthesizedApp(name).templates);
      expect(stdout).toContain(bill(idleCost(fixturesOf(templates)), 'a month, idle'));
    },
  );
});
