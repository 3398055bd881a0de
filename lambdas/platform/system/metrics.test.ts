import { afterEach, describe, expect, it } from '@jest/globals';
import { captureLines } from '../../../tools/test-kit/captured-lines.ts';
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

  it('takes one line on standard output for any number of metrics', () => {
    const { lines, restore } = captureLines();
    createMeasure()({ values: { Calls: 1, Tokens: 7 } });
    createMetric()('Calls', 1);
    restore();
    const dimensions = { _aws: { CloudWatchMetrics: [{ Dimensions: [['application']] }] } };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { Calls: 1, Tokens: 7, ...dimensions },
      { Calls: 1, ...dimensions },
    ]);
  });
});

describe('the measurement of a settled call', () => {
  it('includes its route, tokens and cost, and identifies no account', () => {
    expect(measuredCall(record)).toEqual({
      values: { CallsSettled: 1, CostNanoUsd: 2250, InputTokens: 11, OutputTokens: 7 },
      dimensions: { route: 'sim-chat' },
    });
  });

  it.each<[string, Partial<UsageRecord>, object]>([
    [
      'usage beyond the bound of the call if the route reported it',
      { unbilled: { amount: 40n, factor: 1.5 } },
      { UnbilledNanoUsd: 40 },
    ],
    [
      'the margin if the catalog states the cost of the route',
      { providerCost: 2000n },
      { ProviderCostNanoUsd: 2000, MarginNanoUsd: 250 },
    ],
    [
      'no loss if the route is sold at its cost',
      { providerCost: 2250n },
      { ProviderCostNanoUsd: 2250, MarginNanoUsd: 0 },
    ],
    [
      'all of the cost as the margin of a provider that takes nothing',
      { providerCost: 0n },
      { ProviderCostNanoUsd: 0, MarginNanoUsd: 2250 },
    ],
    [
      'the loss if the account paid less than the provider charged',
      { providerCost: 3000n },
      { ProviderCostNanoUsd: 3000, MarginNanoUsd: -750, SoldBelowCostNanoUsd: 750 },
    ],
    [
      'what was not billed as no income',
      { providerCost: 3000n, cost: 0n, unbilled: { amount: 2250n, factor: 2 } },
      {
        CostNanoUsd: 0,
        UnbilledNanoUsd: 2250,
        ProviderCostNanoUsd: 3000,
        MarginNanoUsd: -3000,
        SoldBelowCostNanoUsd: 3000,
      },
    ],
  ])('includes %s', (_what, changes, values) => {
    const usual = { CallsSettled: 1, CostNanoUsd: 2250, InputTokens: 11, OutputTokens: 7 };
    expect(measuredCall({ ...record, ...changes })).toEqual({
      values: { ...usual, ...values },
      dimensions: { route: 'sim-chat' },
    });
  });

  it('excludes units other than tokens, and names the route "none" if no route served the call', () => {
    const { values, dimensions } = measuredCall({ ...record, unit: 'image', route: null });
    expect(values).toEqual({ CallsSettled: 1, CostNanoUsd: 2250 });
    expect(dimensions).toEqual({ route: 'none' });
  });
});
