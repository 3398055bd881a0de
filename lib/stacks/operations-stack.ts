/** What people watch the service by: alarms, whom they are sent to, and dashboards. It can go without harm. */
import { Stack, type StackProps } from 'aws-cdk-lib';
import { Alarm, Dashboard, GraphWidget, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { SERVICE_NAME } from '../../lambdas/contract/limits.ts';
import { ALARMS } from '../observability/alarms.ts';
import { DASHBOARDS } from '../observability/dashboards.ts';
import type { Graph, Section } from '../observability/section.ts';
import { findSystem, type System, type SystemOptions } from '../observability/system.ts';
import { type AlarmRow, evaluationOf, type Severity, type Watch } from '../observability/watch.ts';

const RUNBOOK = 'lib/observability/runbook.md';

/** Of the 24 columns of a dashboard; three graphs a row. */
const GRAPH_WIDTH = 8;

export class OperationsStack extends Stack {
  readonly #system: System;

  constructor(scope: Construct, id: string, { config, data, stacks, ...props }: StackProps & SystemOptions) {
    super(scope, id, props);
    this.#system = findSystem({ config, data, stacks });
    const { alarmEmail, warningEmail = alarmEmail } = config;
    const topics: Readonly<Record<Severity, SnsAction>> = {
      critical: new SnsAction(this.#topic('Alarms', alarmEmail)),
      warning: new SnsAction(this.#topic('Warnings', warningEmail)),
    };
    for (const [article, row] of Object.entries(ALARMS)) {
      const topic = topics[row.severity];
      for (const watch of row.watches(this.#system)) {
        const alarm = this.#alarm(article, row, watch);
        alarm.addAlarmAction(topic);
        alarm.addOkAction(topic);
        if (watch.silence !== undefined) alarm.addInsufficientDataAction(topic);
      }
    }
    for (const [name, sections] of Object.entries(DASHBOARDS)) this.#dashboard(name, sections);
  }

  #topic(id: 'Alarms' | 'Warnings', email: string | undefined): Topic {
    const topic = new Topic(this, id, {
      displayName: `${SERVICE_NAME} ${id.toLowerCase()}`,
      enforceSSL: true,
    });
    // The policy that enforces TLS takes the place of the default one, under which alarms could publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  #alarm(article: string, { severity, meaning }: AlarmRow, watch: Watch): Alarm {
    const { metric, threshold, subject } = watch;
    const name = [article, ...(subject === undefined ? [] : [subject.label])].join('/');
    return new Alarm(this, name, {
      alarmName: `${this.#system.config.stage}/${name}`,
      alarmDescription: `${severity}: ${meaning} See ${RUNBOOK}#${article}.`,
      metric,
      threshold,
      ...evaluationOf(watch),
    });
  }

  #dashboard(name: string, sections: readonly Section[]): void {
    const graph = ({ title, left, right }: Graph): IWidget =>
      new GraphWidget({
        title,
        width: GRAPH_WIDTH,
        left: [...left(this.#system)],
        right: [...(right?.(this.#system) ?? [])],
      });
    const widgets = sections.flatMap(({ title, graphs }) => [
      [new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 })],
      graphs.map(graph),
    ]);
    new Dashboard(this, `Dashboard-${name}`, {
      dashboardName: `${this.#system.config.stage}-${name}`,
      widgets,
    });
  }
}
