import { describe, expect, it } from '@jest/globals';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { permissionsOf } from './permissions.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const STACK = 'platform';
const app = new SynthesizedApp();
const [id = '', reconciliation] =
  app
    .resources(STACK, 'AWS::Lambda::Function')
    .find(([each]) => app.functionName(STACK, each) === 'reconcile-payments') ?? [];

describe('the reconciliation with the payment provider', () => {
  it('runs once a day', () => {
    const rules = app
      .properties(STACK, 'AWS::Events::Rule')
      .filter(({ Name: name }) => String(name).endsWith('-reconcile-payments'));
    expect(rules).toEqual([
      expect.objectContaining({
        ScheduleExpression: expect.stringMatching(/^cron\(\d+ \d+ \* \* \? \*\)$/),
        Targets: [expect.objectContaining({ Arn: { 'Fn::GetAtt': [id, 'Arn'] } })],
      }),
    ]);
    expect(reconciliation?.Properties.Timeout).toBe(CONSUMERS['reconcile-payments'].timeoutSeconds);
  });

  it('reads and changes orders and wallets, deletes nothing, and reads no secret but that of the provider', () => {
    const roleId = app.reference(STACK, reconciliation?.Properties.Role)?.id ?? '';
    const permissions = permissionsOf(app, STACK, roleId).filter((each) => !/^(logs|xray):/.test(each));
    expect(permissions.toSorted()).toEqual([
      'dynamodb:BatchGetItem data:Wallets.Arn',
      'dynamodb:GetItem data:Accounts.Arn',
      'dynamodb:GetItem data:Catalog.Arn',
      'dynamodb:GetItem data:Wallets.Arn',
      'dynamodb:PutItem data:Accounts.Arn',
      'dynamodb:Scan data:Accounts.Arn',
      'dynamodb:UpdateItem data:Accounts.Arn',
      'dynamodb:UpdateItem data:Wallets.Arn',
      expect.stringMatching(/^secretsmanager:GetSecretValue data:PaymentSecret/),
    ]);
  });
});

const sumOf = (Namespace: string, MetricName: string) =>
  expect.objectContaining({
    Metric: expect.objectContaining({ Namespace, MetricName }),
    Period: 3_600,
    Stat: 'Sum',
  });

describe('the alarms of payments', () => {
  it.each([
    ['payment-events-missed', METRICS.paymentEventsMissed, 'Sum', 3_600],
    ['payments-differ', METRICS.paymentDifferences, 'Maximum', 86_400],
  ])('go off at the first: %s', (article, metric, statistic, period) => {
    expect(app.alarm(article)).toMatchObject({
      MetricName: metric,
      Statistic: statistic,
      Period: period,
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
    expect(String(app.alarm(article)?.AlarmDescription)).toMatch(/^critical: /);
  });

  it('page if the service fails to process two events within an hour, or dies of them', () => {
    expect(app.alarm('payment-events-failed')).toMatchObject({
      Threshold: 2,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringMatching(/^critical: /),
      Metrics: expect.arrayContaining([
        expect.objectContaining({ Expression: 'FILL(failed, 0) + FILL(died, 0)' }),
        expect.objectContaining({ MetricStat: sumOf('UnifiedInference/prod', METRICS.paymentEventsFailed) }),
        expect.objectContaining({ MetricStat: sumOf('AWS/Lambda', 'Errors') }),
      ]),
    });
  });

  it('page if no reconciliation has been completed for 26 hours, and not before the first one', () => {
    expect(app.alarm('reconciliation-missing')).toMatchObject({
      MetricName: METRICS.paymentsReconciled,
      Period: 3_600,
      EvaluationPeriods: 26,
      DatapointsToAlarm: 26,
      TreatMissingData: 'missing',
      InsufficientDataActions: [{ Ref: expect.stringMatching(/^Alarms/) }],
    });
  });

  it('watch no metric that anybody can raise by sending events', () => {
    const alarms = JSON.stringify(app.properties('operations', 'AWS::CloudWatch::Alarm'));
    expect(alarms).not.toContain(METRICS.paymentEventsRejected);
  });
});
