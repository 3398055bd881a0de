/** The workflow that settles transcriptions: an Express one, whose output is the settlement that its starter waits for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type ConsumerProps, consumerFunction } from './consumer-function.ts';
import { allowSealed } from './security/customer-key.ts';
import { confine, stateMachineArn } from './security/trust.ts';

export class TranscriptionSettlement extends Construct {
  readonly workflow: StateMachine;

  constructor(scope: Construct, id: string, props: ConsumerProps) {
    super(scope, id);
    this.workflow = this.#workflow(props);
  }

  #workflow(props: ConsumerProps): StateMachine {
    const { config } = props;
    const name = 'settle-transcription';
    const step = consumerFunction(this, name, props).function;
    const stateMachineName = `${config.stage}-transcription-settlement`;
    const machine = new StateMachine(this, 'Workflow', {
      stateMachineName,
      stateMachineType: StateMachineType.EXPRESS,
      definitionBody: DefinitionBody.fromString(
        readFileSync(join(import.meta.dirname, '..', 'workflows', `${name}.asl.json`), 'utf8'),
      ),
      definitionSubstitutions: { SettleTranscriptionFunctionArn: step.functionArn },
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'Logs', {
          retention: config.logRetentionDays,
          removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        }),
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
    confine(machine.role, stateMachineArn(this, stateMachineName));
    machine.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [step.functionArn] }),
    );
    allowSealed(config, machine.role);
    Validations.of(machine).acknowledge(
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'Log delivery and X-Ray take no resource: AWS documents both with "*".',
      },
      {
        id: 'AwsSolutions-SF1',
        reason:
          'The events of an execution that succeeds would cost more to log than the execution; its output is the caller’s.',
      },
    );
    return machine;
  }
}
