/** What calls the deployment every few minutes as its callers do. */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { CONSUMERS } from '../../../lambdas/contract/consumers.ts';
import type { Config } from '../../config/config.ts';
import { ServiceFunction } from '../service-function.ts';
import type { StoredData } from '../stored-data.ts';

export interface ScheduledSmokeProps {
  readonly config: Config;
  readonly everyMinutes: number;
  readonly data: StoredData;
  readonly bundles: string;
}

const NAME = 'run-smoke';

export class ScheduledSmoke extends Construct {
  constructor(scope: Construct, id: string, { everyMinutes, ...props }: ScheduledSmokeProps) {
    super(scope, id);
    const { timeoutSeconds } = CONSUMERS[NAME];
    const target = new ServiceFunction(this, NAME, { ...props, name: NAME, timeoutSeconds });
    new Rule(this, 'Schedule', {
      ruleName: `${props.config.stage}-${NAME}`,
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      targets: [new LambdaFunction(target.function)],
    });
  }
}
