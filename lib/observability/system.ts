/**
 * The resources to watch, detected in the app itself. A function, queue, workflow or schedule that is added to a stack
 * is watched without a change here.
 */
import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct, IConstruct } from 'constructs';
import type { Config } from '../config/config.ts';
import type { StoredData } from '../constructs/stored-data.ts';

/** A resource with the name in its metrics, and a shorter label for people. */
export interface WatchedSystem {
  readonly name: string;
  readonly label: string;
}

interface WatchedFunction extends WatchedSystem {
  readonly timeoutSeconds: number;
}

export interface System {
  readonly config: Config;
  readonly functions: readonly WatchedFunction[];
  readonly tables: readonly WatchedSystem[];
  readonly deadLetterQueues: readonly WatchedSystem[];
  /** Workflows, by ARN. */
  readonly workflows: readonly WatchedSystem[];
  readonly schedules: readonly WatchedSystem[];
  readonly apis: readonly WatchedSystem[];
}

export interface SystemOptions {
  readonly config: Config;
  readonly data: StoredData;
  /** Stacks whose resources are watched. */
  readonly stacks: readonly Stack[];
}

export function systemOf({ config, data, stacks }: SystemOptions): System {
  const all = stacks.flatMap((stack) => stack.node.findAll());
  const watched = (name: string, construct: IConstruct): WatchedSystem => ({
    name,
    label: labelOf(name, construct, config),
  });
  return {
    config,
    functions: all.filter(is(CfnFunction)).map((cfn) => ({
      ...watched(literal(cfn.functionName) ?? cfn.ref, cfn),
      timeoutSeconds: cfn.timeout ?? DEFAULT_TIMEOUT_SECONDS,
    })),
    tables: Object.entries(data.tables).map(([label, table]) => ({ label, name: table.tableName })),
    deadLetterQueues: deadLetterQueues(all).map((queue) => watched(queueName(queue), queue)),
    workflows: all
      .filter(is(CfnStateMachine))
      .map((cfn) => ({ ...watched(literal(cfn.stateMachineName) ?? '', cfn), name: workflowArn(cfn) })),
    schedules: all
      .filter(is(CfnRule))
      .filter(({ scheduleExpression }) => scheduleExpression !== undefined)
      .map((cfn) => watched(literal(cfn.name) ?? cfn.ref, cfn)),
    apis: all.filter(is(CfnRestApi)).map((cfn) => watched(literal(cfn.name) ?? cfn.ref, cfn)),
  };
}

/** Lambda's own, where a function sets none. */
const DEFAULT_TIMEOUT_SECONDS = 3;

const is =
  <T extends Construct>(type: abstract new (...args: never[]) => T) =>
  (construct: IConstruct): construct is T =>
    construct instanceof type;

/** A name that the stack was given; importing one that CloudFormation makes up would tie the two stacks together. */
const literal = (name: string | undefined): string | undefined =>
  name === undefined || Token.isUnresolved(name) ? undefined : name;

/** Returns the name without the stage, or the path of a construct that has no name. */
function labelOf(name: string, { node }: IConstruct, { stage }: Config): string {
  if (name !== '' && !Token.isUnresolved(name)) return name.replace(new RegExp(`^${stage}-`), '');
  return node.path
    .split('/')
    .slice(1)
    .filter((segment) => segment !== 'Resource')
    .join('-');
}

/** The queues that other queues give up to, and those that are named so because something else does. */
function deadLetterQueues(all: readonly IConstruct[]): readonly IQueue[] {
  const queues = all.filter(is(Queue));
  const ends = new Set(queues.map(({ deadLetterQueue }) => deadLetterQueue?.queue));
  return queues.filter((queue) => ends.has(queue) || /dead|dlq/i.test(queue.node.path));
}

/** Returns the name in the template, instead of a reference to the queue's stack. */
const queueName = (queue: IQueue): string => {
  const { defaultChild: cfn } = queue.node;
  return (cfn instanceof CfnQueue ? literal(cfn.queueName) : undefined) ?? queue.queueName;
};

function workflowArn(machine: CfnStateMachine): string {
  const name = literal(machine.stateMachineName);
  if (name === undefined) return machine.ref;
  return Stack.of(machine).formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: name,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
