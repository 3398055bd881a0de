/**
 * The monitoring of the bill: tags by which it can be divided, a monthly budget, and AWS's search for unusual costs.
 */
import { Stack, Tags } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { CfnAnomalyMonitor, CfnAnomalySubscription } from 'aws-cdk-lib/aws-ce';
import { type IPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { SERVICE_NAME } from '../../lambdas/platform/contract/limits.ts';
import type { Config } from '../config/config.ts';
import type { Severity } from './watch.ts';

/** The tags of every resource. By `stack`, the bill shows what a deployment costs. */
const TAGS = { application: 'application', stage: 'stage', stack: 'stack' } as const;

/**
 * The resource that takes no tag: CloudFront changes none while a distribution uses it, its tags included (aws-cdk issue
 * 34629). Nor does a stack take one, because CloudFormation gives the tags of a stack to all its resources.
 */
const UNTAGGED = ['AWS::CloudFront::VpcOrigin', 'aws:cdk:stack'];

/** Tags whatever the stacks hold, also what is added to them later. */
export function tagAll(stacks: readonly Stack[], { stage }: Config): void {
  for (const stack of stacks)
    for (const [key, value] of [
      [TAGS.application, SERVICE_NAME],
      [TAGS.stage, stage],
      [TAGS.stack, stackTag(stack)],
    ] as const)
      Tags.of(stack).add(key, value, { excludeResourceTypes: UNTAGGED });
}

/** Returns the value of the tag `stack`, which no other deployment of the account has: a stage may be in many regions. */
export const stackTag = ({ stackName, region }: Stack): string => `${stackName}/${region}`;

export interface CostWatchOptions {
  readonly config: Config;
  readonly topics: Readonly<Record<Severity, ITopic>>;
  /** The values of the tag `stack` of the deployment. */
  readonly stackTags: readonly string[];
}

/**
 * The shares of the budget that are reported, in percent, with their severity. Spent money cannot be recovered, but
 * forecast spending can be avoided.
 */
const SHARES = [
  { notificationType: 'ACTUAL', threshold: 80, severity: 'warning' },
  { notificationType: 'FORECASTED', threshold: 100, severity: 'warning' },
  { notificationType: 'ACTUAL', threshold: 100, severity: 'critical' },
] as const;

/** Creates the budget and the detection of unusual costs if the settings enable them. */
export function watchCost(scope: Construct, { config, topics, stackTags }: CostWatchOptions): void {
  const { stage, budgetUsd, unusualCostUsd } = config;
  // Both have a name that is unique in the account, whatever its region.
  const name = `${stage}-${SERVICE_NAME}-${Stack.of(scope).region}`;
  if (budgetUsd !== undefined) {
    for (const topic of Object.values(topics)) letPublish(topic, 'budgets.amazonaws.com');
    createBudget(scope, name, { amount: budgetUsd, topics, stackTags });
  }
  if (unusualCostUsd !== undefined) {
    letPublish(topics.warning, 'costalerts.amazonaws.com');
    searchUnusual(scope, name, { amount: unusualCostUsd, topics, stackTags });
  }
}

interface WatchScope extends Pick<CostWatchOptions, 'topics' | 'stackTags'> {
  /** USD. */
  readonly amount: number;
}

function createBudget(scope: Construct, budgetName: string, { amount, topics, stackTags }: WatchScope): void {
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount, unit: 'USD' },
      // `user:` is the prefix of a user-defined tag (AWS Budgets API reference, Budget, CostFilters).
      costFilters: { TagKeyValue: stackTags.map((value) => `user:${TAGS.stack}$${value}`) },
    },
    notificationsWithSubscribers: SHARES.map(({ severity, ...share }) => ({
      notification: { ...share, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'SNS', address: topics[severity].topicArn }],
    })),
  });
}

function searchUnusual(scope: Construct, name: string, { amount, topics, stackTags }: WatchScope): void {
  const monitor = new CfnAnomalyMonitor(scope, 'UnusualCost', {
    monitorName: name,
    // An account may have one monitor of all services, and mostly has; this one is of the deployment alone.
    monitorType: 'CUSTOM',
    monitorSpecification: JSON.stringify({
      Tags: { Key: TAGS.stack, Values: stackTags, MatchOptions: ['EQUALS'] },
    }),
  });
  new CfnAnomalySubscription(scope, 'UnusualCostSubscription', {
    subscriptionName: name,
    monitorArnList: [monitor.attrMonitorArn],
    // A topic takes no other (Cost Management API reference, AnomalySubscription).
    frequency: 'IMMEDIATE',
    thresholdExpression: JSON.stringify({
      Dimensions: {
        Key: 'ANOMALY_TOTAL_IMPACT_ABSOLUTE',
        MatchOptions: ['GREATER_THAN_OR_EQUAL'],
        Values: [String(amount)],
      },
    }),
    subscribers: [{ type: 'SNS', address: topics.warning.topicArn }],
  });
}

/**
 * Allows a service to publish for the account's own budgets and searches alone. A topic policy that enforces TLS
 * replaces the default one.
 */
function letPublish(topic: ITopic, service: 'budgets.amazonaws.com' | 'costalerts.amazonaws.com'): void {
  const { account, partition } = Stack.of(topic);
  const arn = service === 'budgets.amazonaws.com' ? `arn:${partition}:budgets::${account}:*` : undefined;
  const principals: IPrincipal[] = [new ServicePrincipal(service)];
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals,
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        // Which ARN the search for unusual costs names is not documented.
        ...(arn === undefined ? {} : { ArnLike: { 'aws:SourceArn': arn } }),
      },
    }),
  );
}
