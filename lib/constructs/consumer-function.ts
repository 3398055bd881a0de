/** Asynchronous functions, with their settings from the contract. */
import { Rule, type Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { CONSUMERS, type ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** The properties that all functions of a deployment have. */
export type ConsumerProps = Pick<ServiceFunctionProps, 'config' | 'data' | 'bundles' | 'messaging'>;

export const consumerFunction = (scope: Construct, name: ConsumerName, props: ConsumerProps) =>
  new ServiceFunction(scope, name, { ...props, name, timeoutSeconds: CONSUMERS[name].timeoutSeconds });

/** Makes the function of a consumer and the rule that runs it; returns the function. */
export function runOnSchedule(
  scope: Construct,
  {
    name,
    schedule,
    ruleId = 'Schedule',
  }: {
    readonly name: ConsumerName;
    readonly schedule: Schedule;
    /** The rule's name in the scope, from which its logical id is derived. */
    readonly ruleId?: string;
  },
  props: ConsumerProps,
) {
  const { function: target } = consumerFunction(scope, name, props);
  new Rule(scope, ruleId, {
    ruleName: `${props.config.stage}-${name}`,
    schedule,
    targets: [new LambdaFunction(target)],
  });
  return target;
}
