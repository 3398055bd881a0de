import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import { measuredCall } from '../../ledger/store/create-ledger.ts';
import { createMeasure, createMetric, embedded } from './metrics.ts';

const AT = 1_790_000_000_000;

const record: UsageRecord = {
  id: 'req_1',
  keyId: 'key_1',
  accountId: 'acc_1',
  created: 1_790_000_000,
  model: 'sim/chat',
  kind: 'chat',
  inputUnits: 11,
  cachedUnits: 3,
  outputUnits: 7,
  unit: 'token',
  cost: 2250n,
  estimated: false,
  route: 'sim-chat',
  status: 'completed',
};

afterEach(() => {
  jest.restoreAllMocks();
  delete process.env.METRICS_NAMESPACE;
});

describe('the embedded metric format', () => {
  it('names each metric with its unit, without its dimensions and with them', () => {
    process.env.METRICS_NAMESPACE = 'UnifiedInference/prod';
    const line = embedded({ values: { WaitMs: 5, AgeSeconds: 2, Calls: 1 }, dimensions: { route: 'a' } }, AT);
    expect(line).toEqual({
      _aws: {
        Timestamp: AT,
        CloudWatchMetrics: [
          {
            Namespace: 'UnifiedInference/prod',
            Dimensions: [['application'], ['application', 'route']],
            Metrics: [
              { Name: 'WaitMs', Unit: 'Milliseconds' },
              { Name: 'AgeSeconds', Unit: 'Seconds' },
              { Name: 'Calls', Unit: 'Count' },
            ],
          },
        ],
      },
      application: 'unified-inference-service',
      route: 'a',
      WaitMs: 5,
      AgeSeconds: 2,
      Calls: 1,
    });
  });

  it('contains only the common dimension if a metric has no other', () => {
    const { _aws: directive } = embedded({ values: { Calls: 1 } }, AT) as {
      _aws: { CloudWatchMetrics: { Dimensions: string[][] }[] };
    };
    expect(directive.CloudWatchMetrics[0]?.Dimensions).toEqual([['application']]);
  });

  it('takes one line on standard output for any number of metrics', () => {
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      lines.push(String(chunk));
      return true;
    });
    createMeasure()({ values: { Calls: 1, Tokens: 7 } });
    createMetric()('Calls', 1);
    jest.restoreAllMocks();
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ Calls: 1, Tokens: 7 });
  });
});

describe('the measurement of a settled call', () => {
  it('includes its route, tokens and cost, and identifies no account', () => {
    expect(measuredCall(record)).toEqual({
      values: { CallsSettled: 1, CostNanoUsd: 2250, InputTokens: 11, OutputTokens: 7 },
      dimensions: { route: 'sim-chat' },
    });
  });

  it('includes usage beyond the bound of the call if the route reported it', () => {
    const { values } = measuredCall({ ...record, unbilled: { amount: 40n, factor: 1.5 } });
    expect(values).toMatchObject({ CostNanoUsd: 2250, UnbilledNanoUsd: 40 });
    expect(measuredCall(record).values).not.toHaveProperty('UnbilledNanoUsd');
  });

  it('includes the cost of the provider and the margin if the catalog states the cost of the route', () => {
    const { values, dimensions } = measuredCall({ ...record, providerCost: 2000n });
    expect(values).toMatchObject({ ProviderCostNanoUsd: 2000, MarginNanoUsd: 250 });
    expect(values).not.toHaveProperty('SoldBelowCostNanoUsd');
    expect(dimensions).toEqual({ route: 'sim-chat' });
    // At cost is not below it, and a provider that takes nothing leaves all of it.
    expect(measuredCall({ ...record, providerCost: 2250n }).values).toMatchObject({
      MarginNanoUsd: 0,
    });
    expect(measuredCall({ ...record, providerCost: 2250n }).values).not.toHaveProperty(
      'SoldBelowCostNanoUsd',
    );
    expect(measuredCall({ ...record, providerCost: 0n }).values).toMatchObject({
      MarginNanoUsd: 2250,
    });
  });

  it('includes the loss if the account paid less than the provider charged', () => {
    const fallback = { ...record, providerCost: 3000n, route: 'sim-dear' };
    expect(measuredCall(fallback)).toMatchObject({
      values: { MarginNanoUsd: -750, SoldBelowCostNanoUsd: 750 },
      dimensions: { route: 'sim-dear' },
    });
    // What was not billed is no income.
    const unbilled = { ...fallback, cost: 0n, unbilled: { amount: 2250n, factor: 2 } };
    expect(measuredCall(unbilled).values).toMatchObject({
      MarginNanoUsd: -3000,
      SoldBelowCostNanoUsd: 3000,
    });
  });

  it('excludes units other than tokens, and contains the route none if no route served the call', () => {
    const { values, dimensions } = measuredCall({ ...record, unit: 'image', route: null });
    expect(values).toEqual({ CallsSettled: 1, CostNanoUsd: 2250 });
    expect(dimensions).toEqual({ route: 'none' });
  });
});
