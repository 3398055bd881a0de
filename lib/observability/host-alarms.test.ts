import { describe, expect, it } from '@jest/globals';
import { joined, SynthesizedApp } from '../../test/template/synthesized-app.ts';

const alarmsOf = (name: 'standard' | 'fargate' | 'fargate-sized') =>
  new Map(
    new SynthesizedApp(name)
      .resources('operations', 'AWS::CloudWatch::Alarm')
      .map(([, { Properties }]) => [String(Properties.AlarmName).replace('prod/', ''), Properties] as const)
      .filter(([article]) => article.startsWith('host-')),
  );

/** Returns the properties of an alarm with a labeled metric. */
const reading = (metric: object, statistic: string) => ({
  Metrics: [{ MetricStat: { Metric: metric, Stat: statistic } }],
});

describe('the alarms of the shared host', () => {
  it('go off when no task runs, when too few do, and when no more may', () => {
    const alarms = alarmsOf('fargate-sized');
    const service = [
      { Name: 'ClusterName', Value: 'prod-inference' },
      { Name: 'ServiceName', Value: 'prod-inference' },
    ];
    const tasks = { MetricName: 'RunningTaskCount', Dimensions: service };
    expect(alarms.get('host-tasks-missing')).toMatchObject({
      ...reading(tasks, 'Minimum'),
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
    expect(alarms.get('host-tasks-few')).toMatchObject({
      ...reading(tasks, 'Maximum'),
      Threshold: 3,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 3,
    });
    expect(alarms.get('host-tasks-at-most')).toMatchObject({
      ...reading(tasks, 'Minimum'),
      Threshold: 40,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 3,
    });
  });

  it('go off before a process rejects calls', () => {
    expect(alarmsOf('fargate').get('host-open-calls')).toMatchObject({
      ...reading({ MetricName: 'OpenCalls' }, 'Maximum'),
      Threshold: 900,
      TreatMissingData: 'notBreaching',
    });
  });

  it('exist only if there are tasks', () => {
    expect([...alarmsOf('fargate').keys()].sort()).toEqual([
      'host-open-calls',
      'host-tasks-at-most',
      'host-tasks-few',
      'host-tasks-missing',
    ]);
    expect(alarmsOf('standard').size).toBe(0);
  });
});

describe('the dashboards', () => {
  it.each([
    ['standard', false],
    ['fargate', true],
  ] as const)('show the open calls of a host where there is one: %s, %s', (name, shown) => {
    const bodies = new SynthesizedApp(name)
      .properties('operations', 'AWS::CloudWatch::Dashboard')
      .map(({ DashboardBody: body }) => joined(body));
    expect(bodies.join('').includes('OpenCalls')).toBe(shown);
  });
});
