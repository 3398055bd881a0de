import { describe, expect, it } from '@jest/globals';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';
import { ALARMS } from './alarms.ts';

const app = new SynthesizedApp();

describe('the alarms', () => {
  it('page for refused executions of the busiest paid functions alone, and warn of the account’s', () => {
    const metrics = (alarm: string) =>
      (Object(app.alarm(alarm)).Metrics as { MetricStat?: { Metric: object } }[]).flatMap(
        ({ MetricStat: stat }) => stat?.Metric ?? [],
      );
    expect(metrics('function-throttles')).toEqual(
      ['chat-completion', 'message', 'response'].map((name) => ({
        Namespace: 'AWS/Lambda',
        MetricName: 'Throttles',
        Dimensions: [{ Name: 'FunctionName', Value: `prod-inference-create-${name}` }],
      })),
    );
    expect(ALARMS['function-throttles']?.severity).toBe('critical');
    expect(metrics('concurrency')).toEqual(
      ['Throttles', 'ConcurrentExecutions'].map((name) => ({ Namespace: 'AWS/Lambda', MetricName: name })),
    );
    expect(ALARMS.concurrency?.severity).toBe('warning');
  });

  it('warn of a circuit only if it stays open or opens again for a quarter of an hour', () => {
    expect(app.alarm('circuit-opened')).toMatchObject({
      MetricName: 'CircuitOpened',
      Threshold: 1,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 3,
    });
  });

  it('warn of every queue of webhooks whose messages wait, and of errors of DynamoDB itself', () => {
    const late = JSON.stringify(app.alarm('webhook-deliveries-late'));
    for (const queue of ['events', 'deliveries', 'retries'])
      expect(late).toContain(`{"Name":"QueueName","Value":"prod-${queue}"}`);
    expect(app.alarm('table-errors')).toMatchObject({
      TreatMissingData: 'notBreaching',
      Metrics: [{ Expression: expect.stringContaining('SUM(SystemErrors)') }],
    });
  });
});
