import { describe, expect, it } from '@jest/globals';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const app = new SynthesizedApp();
describe('the alarms of prices', () => {
  it.each([
    ['price-passed', METRICS.pricesPassed],
    ['cost-outdated', METRICS.costsOutdated],
    ['reference-prices-old', METRICS.referencePricesOld],
  ])('go off at the first result of a check, and stay until the next check: %s', (article, metric) => {
    expect(CONSUMERS['watch-prices'].schedule).toMatch(/^cron\(\d+ \d+ \* \* \? \*\)$/);
    expect(app.alarm(article)).toMatchObject({
      MetricName: metric,
      Statistic: 'Maximum',
      Period: 24 * 3600,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  it('take a day’s losses on calls for one from a dollar and a percent of what providers took on', () => {
    const alarm = app.alarm('sold-below-cost');
    expect(alarm).toMatchObject({ Threshold: 1, TreatMissingData: 'notBreaching' });
    const metrics = alarm?.Metrics as readonly {
      readonly Id: string;
      readonly Expression?: string;
      readonly MetricStat?: { readonly Metric: { readonly MetricName: string } };
    }[];
    const named = metrics.flatMap(({ Id: id, MetricStat: stat }) =>
      stat === undefined ? [] : [[id, stat] as const],
    );
    expect(Object.fromEntries(named)).toMatchObject({
      lost: { Metric: { MetricName: METRICS.soldBelowCost }, Period: 24 * 3600, Stat: 'Sum' },
      taken: { Metric: { MetricName: METRICS.providerCost }, Period: 24 * 3600, Stat: 'Sum' },
    });
    expect(metrics.find(({ Expression: expression }) => expression !== undefined)?.Expression).toBe(
      'IF(lost >= 1000000000, 100 * lost / taken, 0)',
    );
  });
});

describe('the dashboards', () => {
  it('show what accounts paid, what providers took and the margin by route, in one graph', () => {
    const body = JSON.stringify(app.templates.operations);
    for (const metric of [METRICS.cost, METRICS.providerCost, METRICS.margin])
      expect(body).toMatch(new RegExp(`application,route\\}[^']*MetricName=[\\\\"]+${metric}`));
  });
});
