/** One Lambda function with a dedicated role that can access exactly the resources that `grants.ts` lists. */
import { join } from 'node:path';
import { Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { SERVICE_NAME } from '../../lambdas/platform/contract/limits.ts';
import { QUEUES, type Queue, type QueueName } from '../../lambdas/platform/contract/queues.ts';
import { reservedOf } from '../config/concurrency.ts';
import type { Config } from '../config/config.ts';
import { type FunctionName, GRANTS } from '../config/grants.ts';
import { memoryOf } from '../config/memory.ts';
import { createHosting, type Hosting } from './hosting.ts';
import type { Messaging } from './messaging.ts';
import type { StoredData } from './stored-data.ts';

export interface ServiceFunctionProps {
  /** The folder in `endpoints/` or `consumers/` of its context. */
  readonly name: FunctionName;
  readonly timeoutSeconds: number;
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
  /** Needed by functions that settle by a workflow. */
  readonly settlements?: StateMachine | undefined;
  /** Needed by functions that send, plan or publish. */
  readonly messaging?: Messaging | undefined;
}

/**
 * Returns `<stage>-<stack>-<name>`, also in a nested stack. It is available without the stack, so that the operations
 * stack need not import it.
 */
const functionName = (stack: Stack, name: string): string =>
  `${(stack.nestedStackParent ?? stack).stackName.replace(/^Inference-/, '')}-${name}`;

export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  /** For another host of the same endpoint. */
  readonly hosting: Hosting;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { name, config, data, bundles, settlements, messaging } = props;
    this.hosting = createHosting(this, {
      name,
      grants: GRANTS[name],
      reads: readBy(name),
      service: 'lambda.amazonaws.com',
      config,
      data,
      settlements,
      messaging,
    });
    const { role, environment, logGroup } = this.hosting;
    const reserved = reservedOf(config).get(name);
    this.function = new LambdaFunction(this, 'Function', {
      functionName: functionName(Stack.of(this), name),
      description: `${SERVICE_NAME}: ${name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryOf(name),
      timeout: Duration.seconds(props.timeoutSeconds),
      handler: 'index.handler',
      code: Code.fromAsset(join(bundles, name), { exclude: ['*.map', 'Dockerfile'] }),
      role,
      logGroup,
      // Lambda would stop a chain of 16 (developer guide, recursive loop detection); attempts of a delivery are counted here.
      recursiveLoop: isChained(name) ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment,
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    });
    if (config.tracing) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray takes no resource: AWS documents its write actions with "*".',
      });
    }
  }
}

/** It sends to a queue that it reads. */
const isChained = (name: FunctionName): boolean => {
  const read = readBy(name);
  return (GRANTS[name].sends ?? []).some((queue) => read.includes(queue));
};

/** The queues that a function reads. */
const readBy = (name: FunctionName): readonly QueueName[] =>
  (Object.keys(QUEUES) as QueueName[]).filter((queue) => {
    const { reader }: Queue = QUEUES[queue];
    return reader?.consumer === name;
  });
