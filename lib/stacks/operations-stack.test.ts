import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { joined, SERVICE_STACKS, SynthesizedApp } from '../../test/template/synthesized-app.ts';
import { ALARMS } from '../observability/alarms.ts';
import { BURNS } from '../observability/burn-rates.ts';
import { DASHBOARDS } from '../observability/dashboards.ts';
import { EDGE_ALARMS } from '../observability/edge-alarms.ts';
import { MALWARE_ARTICLE } from '../observability/malware.ts';

const app = new SynthesizedApp();
const template = JSON.stringify(app.templates.operations);
const runbook = readFileSync(join(import.meta.dirname, '..', 'observability', 'runbook.md'), 'utf8');
const alarms = app.properties('operations', 'AWS::CloudWatch::Alarm');
const composites = app.properties('operations', 'AWS::CloudWatch::CompositeAlarm');
const isWindow = ({ AlarmName: name }: { readonly [name: string]: unknown }) =>
  Object.keys(BURNS).some((article) => String(name).startsWith(`prod/${article}/`));
const named = (article: string) =>
  alarms
    .map(({ AlarmName: name }) => String(name))
    .filter((name) => name === `prod/${article}` || name.startsWith(`prod/${article}/`));

/** The articles of the runbook by their headings. */
const articles = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((article) => [article.split('\n', 1)[0] ?? '', article] as const),
);

describe('the runbook', () => {
  it('contains an article for each alarm, and no other', () => {
    expect([...articles.keys()].sort()).toEqual(
      [
        ...new Set([
          ...Object.keys(ALARMS),
          ...Object.keys(EDGE_ALARMS),
          ...Object.keys(BURNS),
          MALWARE_ARTICLE,
        ]),
      ].sort(),
    );
  });

  it.each([...articles])('states the meaning, the checks and the actions: %s', (_name, article) => {
    for (const part of ['**Means.**', '**Look at.**', '**Do.**']) expect(article).toContain(part);
  });

  it('contains the article to which each alarm points', () => {
    expect(alarms.length).toBeGreaterThan(Object.keys(ALARMS).length);
    for (const { AlarmName: name, AlarmDescription: description } of [...alarms, ...composites]) {
      const [, article = ''] = String(name).split('/');
      const { severity, meaning } = ALARMS[article] ?? BURNS[article] ?? {};
      expect(description).toBe(`${severity}: ${meaning} See lib/observability/runbook.md#${article}.`);
    }
  });
});

describe('a clean build that is found infected', () => {
  it('pages by its event, for this deployment’s rule alone', () => {
    const [[id, rule] = ['', undefined]] = app.resources('operations', 'AWS::Events::Rule');
    expect(rule?.Properties).toMatchObject({
      EventBusName: 'platform-events',
      EventPattern: {
        'detail-type': ['app.build.scanned'],
        detail: { data: { previous: { status: ['clean'] }, verdict: ['infected'] } },
      },
      Targets: [
        {
          Arn: { Ref: expect.stringMatching(/^Alarms/) },
          InputTransformer: { InputTemplate: expect.stringContaining(`runbook.md#${MALWARE_ARTICLE}.`) },
        },
      ],
    });
    const policies = app.properties('operations', 'AWS::SNS::TopicPolicy');
    expect(policies).toContainEqual(
      expect.objectContaining({
        PolicyDocument: expect.objectContaining({
          Statement: expect.arrayContaining([
            expect.objectContaining({
              Principal: { Service: 'events.amazonaws.com' },
              Condition: expect.objectContaining({
                ArnLike: { 'aws:SourceArn': { 'Fn::GetAtt': [id, 'Arn'] } },
              }),
            }),
          ]),
        }),
      }),
    );
  });
});

describe('the alarms', () => {
  it('use a distinct name each, and notify the topic of their severity when they start and when they end', () => {
    const all = [...alarms, ...composites];
    expect(new Set(all.map(({ AlarmName: name }) => name)).size).toBe(all.length);
    for (const { AlarmName: name, AlarmActions: raised, OKActions: okActions } of all.filter(
      (each) => !isWindow(each),
    )) {
      const [, article = ''] = String(name).split('/');
      const topic = (ALARMS[article] ?? BURNS[article])?.severity === 'critical' ? /^Alarms/ : /^Warnings/;
      expect([name, raised]).toEqual([name, [{ Ref: expect.stringMatching(topic) }]]);
      expect([name, okActions]).toEqual([name, raised]);
    }
  });

  it('page for nothing that happens once, or that is a customer’s to mend', () => {
    for (const article of ['function-errors', 'function-throttles', 'table-throttles', 'table-errors']) {
      const each = alarms.filter(({ AlarmName: name }) => String(name).startsWith(`prod/${article}`));
      expect(each.length).toBeGreaterThan(0);
      for (const alarm of each) expect(alarm).toMatchObject({ EvaluationPeriods: 3, DatapointsToAlarm: 2 });
    }
    expect(named('dead-letters').join()).not.toMatch(/exhausted/);
  });

  it('watch every function that no route leads to, itself or by what is then left undone, and those that read more as the data grows at nine tenths of their time', () => {
    const routed = new Set<string>([UNKNOWN_ROUTE_ENDPOINT, ...ROUTES.map(({ endpoint }) => endpoint)]);
    const unattended = SERVICE_STACKS.flatMap((stack) =>
      app
        .resources(stack, 'AWS::Lambda::Function')
        .filter(([id]) => !routed.has(app.functionName(stack, id)))
        .map(([, { Properties }]) => Properties),
    );
    // What stands still when the function fails, and the alarm that sees it.
    const missed = {
      'inference-settle-transcription': 'workflow-failed/transcription-settlement',
      'inference-audit-books': 'audit-missing/audit-books',
      'inference-watch-prices': 'reference-prices-old',
      'inference-sweep-holds': 'sweep-missing',
      'platform-fan-out-events': 'dead-letters/dead-events',
      'platform-deliver-webhooks': 'dead-letters/dead-deliveries',
      'platform-follow-listings': 'listing-changes-late',
      'platform-export-calls': 'telemetry-late',
      'platform-process-due-items': 'due-items-late',
      'platform-reconcile-payments': 'reconciliation-missing',
    };
    for (const alarm of Object.values(missed))
      expect([alarm, named(alarm)]).toEqual([alarm, [`prod/${alarm}`]]);
    const itself = named('function-errors').map((name) => name.replace('prod/function-errors/', 'prod-'));
    expect([...itself, ...Object.keys(missed).map((name) => `prod-${name}`)].sort()).toEqual(
      unattended.map(({ FunctionName: name }) => String(name)).sort(),
    );
    expect(itself.length).toBeGreaterThan(1);
    const growing = ['audit-books', 'sweep-holds', 'build-search-index'];
    expect(
      named('function-duration')
        .map((name) => name.replace(/^.*?\/.*?\/\w+-/, ''))
        .sort(),
    ).toEqual(growing.toSorted());
    for (const { FunctionName: name, Timeout: timeout } of unattended) {
      const alarm = app.alarm(String(name).replace('prod-', 'function-duration/'));
      if (!growing.some((each) => String(name).endsWith(each))) continue;
      expect(alarm).toMatchObject({ Threshold: Number(timeout) * 900, EvaluationPeriods: 3 });
      expect(alarm?.Metrics).toMatchObject([
        {
          MetricStat: {
            Metric: { MetricName: 'Duration', Dimensions: [{ Name: 'FunctionName', Value: name }] },
            Stat: 'Maximum',
          },
        },
      ]);
    }
  });

  it('cover the tables that every paid call writes, both APIs, and every workflow that has no other alarm', () => {
    expect(named('table-throttles').sort()).toEqual([
      'prod/table-throttles/keys',
      'prod/table-throttles/wallets',
    ]);
    expect(named('api-5xx')).toEqual(['prod/api-5xx/inference']);
    expect(named('platform-availability')).toEqual(['prod/platform-availability/platform']);
    const namesOf = (type: string, name: string) =>
      SERVICE_STACKS.flatMap((stack) => app.properties(stack, type))
        .filter(({ EventPattern: pattern }) => pattern === undefined)
        .map((properties) => String(properties[name]).replace('prod-', ''));
    const watched = (article: string) => named(article).map((name) => name.replace(`prod/${article}/`, ''));
    expect([...watched('workflow-failed'), ...watched('audit-missing')].sort()).toEqual(
      namesOf('AWS::StepFunctions::StateMachine', 'StateMachineName').sort(),
    );
    for (const missing of ['sweep-missing', 'audit-missing', 'dead-letters'])
      expect(named(missing)).not.toEqual([]);
  });

  it('watch every dead-letter queue', () => {
    const ends = SERVICE_STACKS.flatMap((stack) =>
      app
        .properties(stack, 'AWS::SQS::Queue')
        .flatMap(({ RedrivePolicy: policy }) => Object(policy).deadLetterTargetArn ?? [])
        .map((arn) => `${stack}:${app.reference(stack, arn)?.id}`),
    );
    expect(named('dead-letters').length).toBeGreaterThanOrEqual(new Set(ends).size);
  });

  it('take silence for a fault only where something must always speak', () => {
    const silent = alarms.filter(({ TreatMissingData: missing }) => missing === 'breaching');
    expect(silent.map(({ AlarmName: name }) => name).sort()).toEqual([
      'prod/audit-missing/audit-books',
      'prod/sweep-missing',
    ]);
    // Nor for one before it has spoken: nobody is paged by a deployment that has just begun.
    const later = alarms.filter(({ TreatMissingData: missing }) => missing === 'missing');
    expect(later.map(({ AlarmName: name, InsufficientDataActions: actions }) => [name, actions])).toEqual([
      ['prod/reconciliation-missing', [{ Ref: expect.stringMatching(/^Alarms/) }]],
    ]);
    for (const { TreatMissingData: missing } of alarms)
      expect(missing).toMatch(/^(notBreaching|breaching|missing)$/);
  });

  it('watch no metric that anybody can raise by sending payment events', () => {
    expect(JSON.stringify(alarms)).not.toContain(METRICS.paymentEventsRejected);
  });

  it('ignore holds that the next two sweeps may still release', () => {
    const [, sweepMinutes = ''] = /^rate\((\d+) minutes\)$/.exec(CONSUMERS['sweep-holds'].schedule) ?? [];
    expect(app.alarm('holds-stuck')).toMatchObject({
      MetricName: 'OverdueHoldSeconds',
      Threshold: 2 * 60 * Number(sweepMinutes),
    });
  });
});

describe('the dashboards', () => {
  const bodies = app
    .properties('operations', 'AWS::CloudWatch::Dashboard')
    .map(({ DashboardName: name, DashboardBody: body }) => ({ name: joined(name), body: joined(body) }));

  it('match those of the table, at most as many as are free', () => {
    const expected = Object.keys(DASHBOARDS).map((name) => `prod-${name}-<AWS::Region>`);
    expect(bodies.map(({ name }) => name)).toEqual(expected);
    expect(bodies.length).toBeLessThanOrEqual(3);
  });
});

describe('a graph that searches', () => {
  it('quotes its namespace, because a stage with a hyphen otherwise returns nothing', () => {
    const hyphened = JSON.stringify(new SynthesizedApp('every-setting').templates.operations);
    const searched = [...hyphened.matchAll(/SEARCH\('\{([^,]*),/g)].map(([, namespace]) => namespace);
    expect(searched.length).toBeGreaterThan(3);
    for (const namespace of searched) expect(namespace).toMatch(/^\\+"UnifiedInference\/eu-test-2\\+"$/);
  });
});

describe('the metrics of the contract', () => {
  // A host of its own raises some that functions do not, and so does the scheduled smoke test.
  const watched =
    template +
    ['fargate' as const, 'every-setting' as const]
      .map((name) => JSON.stringify(new SynthesizedApp(name).templates.operations))
      .join('');

  it.each(Object.values(METRICS))('appear on a dashboard or an alarm: %s', (metric) => {
    expect(watched.includes(metric)).toBe(true);
  });

  it('use the namespace that is watched', () => {
    const namespaces = SERVICE_STACKS.flatMap((stack) =>
      app
        .properties(stack, 'AWS::Lambda::Function')
        .map(({ Environment: environment }) => Object(environment).Variables.METRICS_NAMESPACE),
    );
    expect(new Set(namespaces)).toEqual(new Set(['UnifiedInference/prod']));
  });
});

describe('a topic', () => {
  it.each(app.resources('operations', 'AWS::SNS::TopicPolicy'))(
    'accepts messages of alarms over TLS only, and the critical topic also those of the malware rule: %s',
    (id, { Properties: policy }) => {
      const { Statement: statements } = policy.PolicyDocument as {
        Statement: { readonly Principal: { readonly Service?: string } }[];
      };
      const services = ['cloudwatch', ...(id.startsWith('Alarms') ? ['events'] : [])];
      expect(statements.map(({ Principal: principal }) => principal.Service)).toEqual([
        undefined,
        ...services.map((service) => `${service}.amazonaws.com`),
      ]);
      expect(statements).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
      expect(statements).toContainEqual(
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      );
    },
  );

  it('notifies no address unless one is set', () => {
    expect(app.resources('operations', 'AWS::SNS::Subscription')).toEqual([]);
  });
});

describe('the operations stack', () => {
  it('imports nothing from the stateless stacks, so that either may change without the other', () => {
    const imports = [...template.matchAll(/"Fn::ImportValue":"([^:"]+)/g)].map(([, stack]) => stack);
    expect(new Set(imports)).toEqual(new Set(['Inference-prod-data']));
  });

  it('retains no resource, so that it can be removed without harm', () => {
    for (const { DeletionPolicy: policy } of Object.values(app.templates.operations.Resources))
      expect(policy).toBeUndefined();
  });
});
