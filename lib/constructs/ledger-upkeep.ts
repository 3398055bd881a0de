/** The ledger's regular work: the sweeper of expired holds, and the daily audit workflow. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { AUDIT_SCHEDULE, CONSUMERS, type ConsumerName } from '../../lambdas/contract/consumers.ts';
import type { Config } from '../config/config.ts';
import { confine, ruleArn, serviceFor, stateMachineArn } from './security/trust.ts';
import { ServiceFunction } from './service-function.ts';
import type { StoredData } from './stored-data.ts';

export interface LedgerUpkeepProps {
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
}

export class LedgerUpkeep extends Construct {
  readonly #props: LedgerUpkeepProps;

  constructor(scope: Construct, id: string, props: LedgerUpkeepProps) {
    super(scope, id);
    this.#props = props;
    new Rule(this, 'SweepSchedule', {
      ruleName: `${props.config.stage}-sweep-holds`,
      schedule: Schedule.expression(CONSUMERS['sweep-holds'].schedule),
      targets: [new LambdaFunction(this.#function('sweep-holds').function)],
    });
    const ruleName = `${props.config.stage}-audit-books`;
    const role = new Role(this, 'AuditScheduleRole', {
      assumedBy: serviceFor('events.amazonaws.com', ruleArn(this, ruleName)),
    });
    new Rule(this, 'AuditSchedule', {
      ruleName,
      schedule: Schedule.expression(AUDIT_SCHEDULE),
      targets: [new SfnStateMachine(this.#audit(), { role })],
    });
  }

  #function(name: ConsumerName): ServiceFunction {
    const { timeoutSeconds } = CONSUMERS[name];
    return new ServiceFunction(this, name, { ...this.#props, name, timeoutSeconds });
  }

  #audit(): StateMachine {
    const step = this.#function('audit-books').function;
    const definition = readFileSync(
      join(import.meta.dirname, '..', 'workflows', 'audit-books.asl.json'),
      'utf8',
    );
    const name = `${this.#props.config.stage}-audit-books`;
    const machine = new StateMachine(this, 'AuditBooks', {
      stateMachineName: name,
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(definition),
      definitionSubstitutions: { AuditBooksFunctionArn: step.functionArn },
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'AuditLogs', {
          retention: this.#props.config.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    confine(machine.role, stateMachineArn(this, name));
    machine.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [step.functionArn] }),
    );
    Validations.of(machine).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Log delivery and X-Ray take no resource: AWS documents both with "*".',
    });
    return machine;
  }
}
