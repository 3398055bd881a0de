/** A stack's partition and region as cdk-nag writes them in the ids of its findings. */
import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

const reported = (value: string, parameter: string): string =>
  Token.isUnresolved(value) ? `<AWS::${parameter}>` : value;

/** The name of the region where the settings give it, else the pseudo parameter in angle brackets. */
export const reportedRegion = (construct: IConstruct): string =>
  reported(Stack.of(construct).region, 'Region');

/** Returns the same for the partition, which the CDK can determine if it has the region. */
export const reportedPartition = (construct: IConstruct): string =>
  reported(Stack.of(construct).partition, 'Partition');
