import { describe, expect, it } from '@jest/globals';
import { joined, SynthesizedApp } from '../../test/template/synthesized-app.ts';

const alarmsOf = (name: 'standard' | 'fargate' | 'fargate-sized') =>
  new Map(
    new SynthesizedApp(name)
      .resources('operations', 'AWS::CloudWatch::Alarm')
      .map(([, { Properties }]) => [String(Properties.AlarmName).replace('prod/', ''), Properties] as const)
      .filter(([article]) => article.startsWith('host-')),
  );

describe('the alarms of the shared host', () => {
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
