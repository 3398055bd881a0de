/** Names of a stage's resources, for the stacks that create them and for commands, which do not load the CDK. */

/** The stacks in the region of a deployment. */
export const STACKS = ['data', 'inference', 'platform', 'operations', 'ingress'] as const;

export type StackPart = (typeof STACKS)[number];

export const stackNameOf = (stage: string, part: StackPart): string => `Inference-${stage}-${part}`;

/** Returns the name of the stack in us-east-1 that watches CloudFront for a deployment in this region. */
export const edgeAlarmsStackName = (stage: string, region: string): string =>
  `Inference-${stage}-edge-alarms-${region}`;

/** The end of the name in us-east-1. */
const EDGE_STACK = /^edge-alarms-[a-z]{2}(-[a-z]+)+-\d$/;

/** Returns whether a stack is one of this stage, and not of another whose name begins with it. */
export function isStackOf(stage: string, stackName: string): boolean {
  const prefix = `Inference-${stage}-`;
  const end = stackName.slice(prefix.length);
  return stackName.startsWith(prefix) && (STACKS.some((part) => part === end) || EDGE_STACK.test(end));
}

/**
 * Returns whether the resources of this stage have the prefix of another stage's: those of `test-data` begin with
 * `Inference-test-data-`, as the tables of `test` do.
 */
export const isAmbiguous = (stage: string): boolean => STACKS.some((part) => stage.endsWith(`-${part}`));

/** Returns the name of the topic of critical alarms. */
export const alarmTopicName = (stage: string): string => `${stage}-alarms`;

/** Returns the name of the bus of the platform's events. */
export const busName = (stage: string): string => `platform-events${stage === 'prod' ? '' : `-${stage}`}`;

/**
 * Returns the name of the bucket of recordings, which no other stage and region has. It has the beginning of names of
 * CloudFormation, by which policies know the buckets of a stage, and at most the 63 characters that S3 takes.
 */
export const recordingsBucketName = (stage: string, accountId: string, region: string): string =>
  `inference-${stage}-rec-${accountId}-${region}`;

/** Returns the path of the stage's roles. Policies name them by it, because CloudFormation shortens their names. */
export const rolePath = (stage: string): string => `/Inference/${stage}/`;

/** Returns the name of the policy that limits every role of the stage, in all regions. */
export const boundaryName = (stage: string): string => `Inference-${stage}-boundary`;

/** Returns the name of the policy of CloudFormation for the stacks of the stage in a region. */
export const executionPolicyName = (stage: string, region: string): string =>
  `Inference-${stage}-execution-${region}`;
