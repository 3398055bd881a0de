/** The ledger's regular work: the sweeper of expired holds, and the daily audit workflow. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { AUDIT_SCHEDULE, CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { type ConsumerProps, consumerFunction, runOnSchedule } from './consumer-function.ts';
import { confine, ruleArn, serviceFor, stateMachineArn } from './security/trust.ts';

export class LedgerMaintenance extends Construct {
  readonly #props: ConsumerProps;

  constructor(scope: Construct, id: string, props: ConsumerProps) {
    super(scope, id);
    this.#props = props;
    const schedule = Schedule.expression(CONSUMERS['sweep-holds'].schedule);
    runOnSchedule(this, { name: 'sweep-holds', schedule, ruleId: 'SweepSchedule' }, props);
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

  #audit(): StateMachine {
    const step = consumerFunction(this, 'audit-books', this.#props).function;
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
          removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
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
