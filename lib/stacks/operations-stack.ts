/**
 * The monitoring of the service by people: alarms, their recipients, and dashboards. The stack can be removed without
 * harm.
 */
import { Stack, type StackProps } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  CompositeAlarm,
  Dashboard,
  GraphWidget,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { SERVICE_NAME } from '../../lambdas/platform/contract/limits.ts';
import { ALARMS } from '../observability/alarms.ts';
import { BURNS, type BurnRow, burnWatches } from '../observability/burn-rates.ts';
import { watchCost } from '../observability/cost-watch.ts';
import { DASHBOARDS } from '../observability/dashboards.ts';
import type { DashboardSection, Graph } from '../observability/section.ts';
import { type System, type SystemOptions, systemOf } from '../observability/system.ts';
import { type AlarmRow, evaluationOf, type Severity, type Watch } from '../observability/watch.ts';

const RUNBOOK = 'lib/observability/runbook.md';

type AlarmText = Pick<AlarmRow, 'severity' | 'meaning'>;

/** The width of a graph, of the 24 columns of a dashboard: three graphs a row. */
const GRAPH_WIDTH = 8;

export class OperationsStack extends Stack {
  readonly #system: System;

  constructor(scope: Construct, id: string, { config, data, stacks, ...props }: StackProps & SystemOptions) {
    super(scope, id, props);
    this.#system = systemOf({ config, data, stacks });
    const { alarmEmail, warningEmail = alarmEmail } = config;
    const topics = {
      critical: this.#topic('Alarms', alarmEmail),
      warning: this.#topic('Warnings', warningEmail),
    };
    const notify = (alarm: AlarmBase, severity: Severity, ofSilence = false) => {
      const action = new SnsAction(topics[severity]);
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      if (ofSilence) alarm.addInsufficientDataAction(action);
    };
    for (const [article, row] of Object.entries(ALARMS))
      for (const watch of row.watches(this.#system))
        notify(
          this.#alarm([article, watch.subject?.label], row, watch),
          row.severity,
          watch.silence !== undefined,
        );
    for (const [article, row] of Object.entries(BURNS)) notify(this.#burn(article, row), row.severity);
    watchCost(this, { config, topics, stackNames: this.#stackNames() });
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

  #alarm([article = '', of]: readonly (string | undefined)[], row: AlarmText, watch: Watch): Alarm {
    const name = of === undefined ? article : `${article}/${of}`;
    const { metric, threshold } = watch;
    return new Alarm(this, name, { ...this.#named(name, row), metric, threshold, ...evaluationOf(watch) });
  }

  /** Creates an alarm that is raised while those of its windows are, which send no notifications themselves. */
  #burn(article: string, row: BurnRow): CompositeAlarm {
    const windows = Object.entries(burnWatches(row, this.#system.config)).map(([window, watch]) =>
      this.#alarm([article, window], row, watch),
    );
    const { alarmName: compositeAlarmName, alarmDescription } = this.#named(article, row);
    const raised = windows.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM));
    return new CompositeAlarm(this, article, {
      compositeAlarmName,
      alarmDescription,
      alarmRule: AlarmRule.allOf(...raised),
    });
  }

  #named(name: string, { severity, meaning }: AlarmText) {
    const [article] = name.split('/');
    return {
      alarmName: `${this.#system.config.stage}/${name}`,
      alarmDescription: `${severity}: ${meaning} See ${RUNBOOK}#${article}.`,
    };
  }

  /** Returns the names of all other stacks and of this one. */
  #stackNames(): readonly string[] {
    return this.node.root.node.children.filter(Stack.isStack).map(({ stackName }) => stackName);
  }

  #dashboard(name: string, sections: readonly DashboardSection[]): void {
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
