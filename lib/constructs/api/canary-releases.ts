/**
 * Releases of functions that undo themselves: an alias that API Gateway calls, which CodeDeploy moves to a new version for
 * one call in ten first, for all of them five minutes later, and back when an alarm is raised meanwhile. CloudFormation
 * then takes the whole update back.
 */
import { Duration, Validations } from 'aws-cdk-lib';
import { Alarm, type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionName } from '../../config/grants.ts';
import type { ServiceFunction } from '../service-function.ts';
import { LIVE } from './api-calls.ts';

/** The shortest that CloudWatch has of these metrics: with five of them in a release, each counts. */
const PERIOD = Duration.minutes(1);

/** Percent of the calls of a new version, or of an API, that may fail. */
const MAX_FAILED_PERCENT = 5;

/** Fewer calls in a minute than this make no rate. */
const MIN_VERSION_CALLS = 5;
const MIN_API_CALLS = 20;

export interface CanaryReleasesProps {
  readonly stage: string;
  /** The name of the API that leads to the functions. */
  readonly apiName: string;
  /** The requests that a closed service rejected. */
  readonly rejected: Metric;
}

export class CanaryReleases extends Construct {
  readonly #stage: string;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #apiErrors: Alarm;

  constructor(scope: Construct, id: string, { stage, apiName, rejected }: CanaryReleasesProps) {
    super(scope, id);
    this.#stage = stage;
    this.#application = new LambdaApplication(this, 'Application', {
      applicationName: `${stage}-paid-functions`,
    });
    this.#role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'The policy that AWS keeps for CodeDeploy to move aliases and to read alarms.',
    });
    const requests = { ...apiMetrics(apiName), rejected: rejected.with({ period: PERIOD }) };
    this.#apiErrors = this.#alarm('api-5xx', shareOf(requests, MIN_API_CALLS), MAX_FAILED_PERCENT);
  }

  /** The alias of a function, by which it is to be called; its next versions are released by CodeDeploy. */
  release(name: FunctionName, { function: target }: ServiceFunction): IFunction {
    const version = target.currentVersion as IVersion;
    const alias = new Alias(this, `${name}-alias`, { aliasName: LIVE, version });
    const called = { FunctionName: target.functionName, Resource: `${target.functionName}:${LIVE}` };
    const ofVersion = { ...called, ExecutedVersion: version.version };
    const calls = { failed: metric('Errors', ofVersion), all: metric('Invocations', ofVersion) };
    const group = new LambdaDeploymentGroup(this, `${name}-group`, {
      application: this.#application,
      deploymentGroupName: name,
      alias,
      role: this.#role,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [
        this.#alarm(`${name}-errors`, shareOf(calls, MIN_VERSION_CALLS), MAX_FAILED_PERCENT),
        this.#alarm(`${name}-throttles`, metric('Throttles', called), 1),
        this.#apiErrors,
      ],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    // The alarms monitor the new version before the first call reaches it.
    alias.node.addDependency(group);
    return alias as IFunction;
  }

  /** Creates an alarm without notifications: it ends a release. */
  #alarm(name: string, watched: IMetric, threshold: number): Alarm {
    return new Alarm(this, `${name}-alarm`, {
      alarmName: `${this.#stage}/release/${name}`,
      alarmDescription: 'Takes back a release that is running; raised at any other time it does nothing.',
      metric: watched,
      threshold,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

const metric = (metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Sum', period: PERIOD, dimensionsMap });

const apiMetrics = (apiName: string) => {
  const of = (metricName: string) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      statistic: 'Sum',
      period: PERIOD,
      dimensionsMap: { ApiName: apiName },
    });
  return { failed: of('5XXError'), all: of('Count') };
};

/**
 * Percent of the calls that failed; 0 where there are fewer than `minCalls`. Requests that a closed service rejected are no
 * failures.
 */
function shareOf(
  usingMetrics: { readonly failed: Metric; readonly all: Metric; readonly rejected?: Metric },
  minCalls: number,
): IMetric {
  const failures = usingMetrics.rejected === undefined ? 'failed' : '(failed - FILL(rejected, 0))';
  return new MathExpression({
    expression: `IF(all >= ${minCalls}, 100 * ${failures} / all, 0)`,
    usingMetrics,
    period: PERIOD,
  });
}
