import { describe, expect, it } from '@jest/globals';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const nameOf = (expression: unknown) => {
  const reference = app.reference('platform', expression);
  return reference === undefined ? undefined : app.functionName('platform', reference.id);
};

describe('the market', () => {
  it('follows the listings from the first change on, halves what fails, and notes what it gives up', () => {
    const mappings = app
      .resources('platform', 'AWS::Lambda::EventSourceMapping')
      .map(([, { Properties: properties }]) => properties)
      .filter(({ FunctionName: target }) => nameOf(target) === 'follow-listings');
    expect(mappings).toEqual([
      expect.objectContaining({
        StartingPosition: 'TRIM_HORIZON',
        BatchSize: 100,
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 20,
        DestinationConfig: { OnFailure: { Destination: expect.anything() } },
      }),
    ]);
    expect(app.reference('platform', mappings[0]?.EventSourceArn)).toMatchObject({
      stack: 'data',
      attribute: 'StreamArn',
    });
  });

  it('streams the changes of the listings table alone, as they were before and after', () => {
    const streams = app
      .resources('data', 'AWS::DynamoDB::Table')
      .filter(([, { Properties: properties }]) => properties.StreamSpecification !== undefined);
    expect(streams).toHaveLength(1);
    expect(streams[0]?.[1].Properties.StreamSpecification).toEqual({
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    });
  });

  it.each(['build-search-index', 'rank-trending'] as const)(
    'runs on the schedule of the contract: %s',
    (name) => {
      const rules = app
        .resources('platform', 'AWS::Events::Rule')
        .filter(([, { Properties }]) => Properties.ScheduleExpression !== undefined)
        .filter(([, { Properties }]) =>
          (Properties.Targets as readonly { readonly Arn: unknown }[]).some(
            ({ Arn: arn }) => nameOf(arn) === name,
          ),
        );
      expect(rules.map(([, { Properties: properties }]) => properties.ScheduleExpression)).toEqual([
        CONSUMERS[name].schedule,
      ]);
    },
  );

  it('raises an alarm when the changes are followed late', () => {
    const [[, { Properties: alarm }] = [undefined, { Properties: {} }]] = app
      .resources('operations', 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties: properties }]) => properties.AlarmName === 'prod/listing-changes-late');
    expect(alarm).toMatchObject({
      Threshold: 300_000,
      Metrics: [
        {
          MetricStat: {
            Metric: {
              MetricName: 'IteratorAge',
              Dimensions: [{ Name: 'FunctionName', Value: 'prod-platform-follow-listings' }],
            },
            Stat: 'Maximum',
          },
        },
      ],
    });
  });

  it('raises an alarm when changes were passed over', () => {
    const names = app
      .resources('operations', 'AWS::CloudWatch::Alarm')
      .map(([, { Properties: properties }]) => properties.AlarmName);
    expect(names).toContain('prod/dead-letters/dead-changes');
  });
});
