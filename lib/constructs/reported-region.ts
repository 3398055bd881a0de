/** A stack's region as cdk-nag writes it in the ids of its findings. */
import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** The name of the region, where the settings give it, else the pseudo parameter in angle brackets. */
export function reportedRegion(construct: IConstruct): string {
  const { region } = Stack.of(construct);
  return Token.isUnresolved(region) ? '<AWS::Region>' : region;
}
