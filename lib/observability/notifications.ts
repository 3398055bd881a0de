/** Alarms with their names, and the topics that they notify. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { SERVICE_NAME } from '../../lambdas/platform/contract/limits.ts';
import type { Config } from '../config/config.ts';
import { alarmTopicName } from '../config/stage-names.ts';
import { type AlarmRow, evaluationOf, type Severity, type Watch } from './watch.ts';

const RUNBOOK = 'lib/observability/runbook.md';

type AlarmText = Pick<AlarmRow, 'severity' | 'meaning'>;

export type Topics = Readonly<Record<Severity, ITopic>>;

const ID_OF = { critical: 'Alarms', warning: 'Warnings' } as const;

const topicName = (stage: string, severity: Severity): string =>
  severity === 'critical' ? alarmTopicName(stage) : `${stage}-warnings`;

/** Creates the topics of a deployment; those of a second region have no name, which another deployment could have there. */
export function createTopics(
  scope: Construct,
  { stage, alarmEmail, warningEmail = alarmEmail }: Config,
  isNamed = true,
) {
  const create = (severity: Severity, email: string | undefined): Topic => {
    const id = ID_OF[severity];
    const topic = new Topic(scope, id, {
      ...(isNamed ? { topicName: topicName(stage, severity) } : {}),
      displayName: `${SERVICE_NAME} ${id.toLowerCase()}`,
      enforceSSL: true,
    });
    // The policy that enforces TLS takes the place of the default one, under which alarms could publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
      }),
    );
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    return topic;
  };
  return { critical: create('critical', alarmEmail), warning: create('warning', warningEmail) };
}

/**
 * Returns the topics of the operations stack by name, for a stack that is deployed before it. CloudWatch creates an
 * alarm whose topic does not exist yet (CloudWatch user guide, "Alarm actions": it does not validate them).
 */
export function topicsByName(scope: Construct, { stage }: Config): Topics {
  const find = (severity: Severity): ITopic =>
    Topic.fromTopicArn(
      scope,
      ID_OF[severity],
      Stack.of(scope).formatArn({
        service: 'sns',
        resource: topicName(stage, severity),
        arnFormat: ArnFormat.NO_RESOURCE_NAME,
      }),
    );
  return { critical: find('critical'), warning: find('warning') };
}

/** Returns the name of an alarm, and the text of its mail. */
export function namesOf({ stage }: Config, name: string, { severity, meaning }: AlarmText) {
  const [article] = name.split('/');
  return {
    alarmName: `${stage}/${name}`,
    alarmDescription: `${severity}: ${meaning} See ${RUNBOOK}#${article}.`,
  };
}

/** The construct that gets alarms, and the settings of the deployment. */
export interface AlarmContext {
  readonly scope: Construct;
  readonly config: Config;
  /** Ends the names of alarms outside of the deployment's region, where another deployment of the stage has some too. */
  readonly region?: string | undefined;
}

/** Creates the alarm `<stage>/<article>` or `<stage>/<article>/<of>`, which notifies nobody yet. */
export function createAlarm(
  { scope, config, region }: AlarmContext,
  [article = '', of]: readonly (string | undefined)[],
  row: AlarmText,
  watch: Watch,
): Alarm {
  const name = [article, of, region].filter((part) => part !== undefined).join('/');
  const { metric, threshold } = watch;
  return new Alarm(scope, name, {
    ...namesOf(config, name, row),
    metric,
    threshold,
    ...evaluationOf(watch),
  });
}

/** Has an alarm notify a topic when it starts and when it ends. */
export function notify(alarm: AlarmBase, topic: ITopic, ofSilence = false): void {
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  if (ofSilence) alarm.addInsufficientDataAction(action);
}
