/**
 * The monitoring of the service by people: alarms, their recipients, and dashboards. The stack can be removed without
 * harm.
 */
import { Stack, type StackProps } from 'aws-cdk-lib';
import {
  AlarmRule,
  AlarmState,
  CompositeAlarm,
  Dashboard,
  GraphWidget,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Config } from '../config/config.ts';
import { ALARMS } from '../observability/alarms.ts';
import { BURNS, type BurnRow, burnWatches } from '../observability/burn-rates.ts';
import { stackTag, watchCost } from '../observability/cost-watch.ts';
import { DASHBOARDS } from '../observability/dashboards.ts';
import { watchMalware } from '../observability/malware.ts';
import { createAlarm, createTopics, namesOf, notify } from '../observability/notifications.ts';
import type { DashboardSection, Graph } from '../observability/section.ts';
import { type System, type SystemOptions, systemOf } from '../observability/system.ts';

/** The width of a graph, of the 24 columns of a dashboard: three graphs a row. */
const GRAPH_WIDTH = 8;

export class OperationsStack extends Stack {
  readonly #system: System;

  constructor(scope: Construct, id: string, { config, data, stacks, ...props }: StackProps & SystemOptions) {
    super(scope, id, props);
    this.#system = systemOf({ config, data, stacks });
    const topics = createTopics(this, config);
    for (const [article, row] of Object.entries(ALARMS))
      for (const watch of [row.watches(this.#system)].flat())
        notify(
          createAlarm({ scope: this, config }, [article, watch.subject?.label], row, watch),
          topics[row.severity],
          watch.silence !== undefined,
        );
    for (const [article, row] of Object.entries(BURNS))
      notify(this.#burn(article, row, config), topics[row.severity]);
    if (config.market) watchMalware(this, config, topics.critical);
    watchCost(this, { config, topics, stackTags: this.#stackTags() });
    for (const [name, sections] of Object.entries(DASHBOARDS)) this.#dashboard(name, sections);
  }

  /** Creates an alarm that is raised while those of its windows are, which send no notifications themselves. */
  #burn(article: string, row: BurnRow, config: Config): CompositeAlarm {
    const windows = Object.entries(burnWatches(row, config)).map(([window, watch]) =>
      createAlarm({ scope: this, config }, [article, window], row, watch),
    );
    const { alarmName: compositeAlarmName, alarmDescription } = namesOf(config, article, row);
    const raised = windows.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM));
    return new CompositeAlarm(this, article, {
      compositeAlarmName,
      alarmDescription,
      alarmRule: AlarmRule.allOf(...raised),
    });
  }

  /** Returns the tags of all other stacks and of this one. */
  #stackTags(): readonly string[] {
    return this.node.root.node.children.filter(Stack.isStack).map(stackTag);
  }

  #dashboard(name: string, sections: readonly DashboardSection[]): void {
    const graph = ({ title, left, right }: Graph): IWidget =>
      new GraphWidget({
        title,
        width: GRAPH_WIDTH,
        left: [...left(this.#system)],
        right: [...(right?.(this.#system) ?? [])],
      });
    const shown = sections.filter(({ setting }) => setting === undefined || this.#system.config.market);
    const widgets = shown.flatMap(({ title, graphs }) => [
      [new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 })],
      graphs.map(graph),
    ]);
    new Dashboard(this, `Dashboard-${name}`, {
      // A name is unique in the account, whatever the region (CloudWatch API reference, PutDashboard).
      dashboardName: `${this.#system.config.stage}-${name}-${this.region}`,
      widgets,
    });
  }
}
