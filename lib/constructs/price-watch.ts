/** What compares the prices of the catalog with those of a newer source, once a day. */
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { CONSUMERS } from '../../lambdas/contract/consumers.ts';
import type { Config } from '../config/config.ts';
import { ServiceFunction } from './service-function.ts';
import type { StoredData } from './stored-data.ts';

export interface PriceWatchProps {
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
}

const NAME = 'watch-prices';

export class PriceWatch extends Construct {
  constructor(scope: Construct, id: string, props: PriceWatchProps) {
    super(scope, id);
    const { schedule, timeoutSeconds } = CONSUMERS[NAME];
    const target = new ServiceFunction(this, NAME, { ...props, name: NAME, timeoutSeconds });
    new Rule(this, 'Schedule', {
      ruleName: `${props.config.stage}-${NAME}`,
      schedule: Schedule.expression(schedule),
      targets: [new LambdaFunction(target.function)],
    });
  }
}
