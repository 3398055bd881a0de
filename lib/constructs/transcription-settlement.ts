/** The workflow that settles transcriptions: a step that is repeated until it succeeds, else a dead letter. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { CONSUMERS } from '../../lambdas/contract/consumers.ts';
import { DEAD_SETTLEMENTS, queueNameOf } from '../../lambdas/contract/queues.ts';
import type { Config } from '../config/config.ts';
import { allowSealed } from './security/customer-key.ts';
import { confine, stateMachineArn } from './security/trust.ts';
import { ServiceFunction } from './service-function.ts';
import type { StoredData } from './stored-data.ts';

export interface TranscriptionSettlementProps {
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
}

/** SQS keeps a message for 14 days at most; a dead letter waits for a person. */
const RETENTION = Duration.days(14);

export class TranscriptionSettlement extends Construct {
  readonly workflow: StateMachine;
  readonly #props: TranscriptionSettlementProps;

  constructor(scope: Construct, id: string, props: TranscriptionSettlementProps) {
    super(scope, id);
    this.#props = props;
    this.workflow = this.#workflow(this.#deadLetters());
  }

  #deadLetters(): Queue {
    const queue = new Queue(this, 'DeadLetters', {
      queueName: queueNameOf(this.#props.config.stage, DEAD_SETTLEMENTS),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is a dead-letter queue itself.',
    });
    return queue;
  }

  #workflow(deadLetters: Queue): StateMachine {
    const name = 'settle-transcription';
    const step = new ServiceFunction(this, name, {
      ...this.#props,
      name,
      timeoutSeconds: CONSUMERS[name].timeoutSeconds,
    }).function;
    const stateMachineName = `${this.#props.config.stage}-${name}`;
    const machine = new StateMachine(this, 'Workflow', {
      stateMachineName,
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(
        readFileSync(join(import.meta.dirname, '..', 'workflows', `${name}.asl.json`), 'utf8'),
      ),
      definitionSubstitutions: {
        SettleTranscriptionFunctionArn: step.functionArn,
        DeadLetterQueueUrl: deadLetters.queueUrl,
      },
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'Logs', {
          retention: this.#props.config.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    confine(machine.role, stateMachineArn(this, stateMachineName));
    const allow = (action: string, resource: string) =>
      machine.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [resource] }));
    allow('lambda:InvokeFunction', step.functionArn);
    allow('sqs:SendMessage', deadLetters.queueArn);
    allowSealed(this.#props.config, machine.role);
    Validations.of(machine).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Log delivery and X-Ray take no resource: AWS documents both with "*".',
    });
    return machine;
  }
}
