/** The AWS account that the operator's credentials act in, and its bootstrap of the CDK. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { OperatorTarget } from './target.ts';

export interface AwsCaller {
  readonly partition: string;
  readonly accountId: string;
  readonly arn: string;
  readonly region: string;
}

/** Returns the account, the identity and the region of the environment. Throws with what to set if one is missing. */
export async function readCaller(): Promise<AwsCaller> {
  const client = new STSClient({});
  try {
    const region = await client.config.region();
    const { Account: accountId, Arn: arn } = await client.send(new GetCallerIdentityCommand({}));
    if (accountId === undefined || arn === undefined) throw new Error('AWS named no account');
    const [, partition = 'aws'] = arn.split(':');
    return { partition, accountId, arn, region };
  } catch (failure) {
    throw new Error(problemOf(failure), { cause: failure });
  } finally {
    client.destroy();
  }
}

/** Returns the identity of the operator's credentials, for records of what was done. The local service has none. */
export const operatorIdentity = async (
  { client }: Pick<OperatorTarget, 'client'>,
  read: () => Promise<Pick<AwsCaller, 'arn'>> = readCaller,
): Promise<string> => (client.endpoint === undefined ? (await read()).arn : 'operator of the local service');

/** Names of the errors for credentials that have ended or are wrong (IAM user guide, Troubleshoot; STS API reference). */
const REJECTED: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);

/** Returns the message of an error, or what to do if region or credentials of the environment are its cause. */
export function problemOf(failure: unknown): string {
  const { name, message } = failure as Error;
  if (message === 'Region is missing') return 'no AWS region: set AWS_REGION, or a profile that has one';
  const [, host] = /^getaddrinfo \w+ (\S+\.amazonaws\.com\S*)/.exec(message) ?? [];
  if (host !== undefined) return `there is no ${host}: is AWS_REGION right? If it is, the network is missing`;
  if (name === 'CredentialsProviderError')
    return 'no AWS credentials: sign in with "aws sso login", or set AWS_PROFILE';
  return REJECTED.has(name) ? `AWS rejects the credentials (${name}): sign in again` : message;
}

/** The stack that `cdk bootstrap` creates, unless it is told another name (AWS CDK developer guide, Bootstrapping). */
const BOOTSTRAP_STACK = 'CDKToolkit';

/** The version of the bootstrap that the stacks need: the CDK's standard synthesizer writes it into its assembly. */
export const BOOTSTRAP_VERSION = 6;

export interface Bootstrap {
  readonly version: number;
  /** The policies of CloudFormation. */
  readonly executionPolicies: readonly string[];
}

/** Returns the bootstrap of a region; undefined if the region has none. */
export async function readBootstrap(region: string): Promise<Bootstrap | undefined> {
  const client = new CloudFormationClient({ region });
  try {
    const { Stacks: [stack] = [] } = await client.send(
      new DescribeStacksCommand({ StackName: BOOTSTRAP_STACK }),
    );
    const version = stack?.Outputs?.find(({ OutputKey }) => OutputKey === 'BootstrapVersion')?.OutputValue;
    const policies = stack?.Parameters?.find(
      ({ ParameterKey }) => ParameterKey === 'CloudFormationExecutionPolicies',
    )?.ParameterValue;
    if (version === undefined) return undefined;
    return { version: Number(version), executionPolicies: (policies ?? '').split(',').filter(Boolean) };
  } catch (failure) {
    // CloudFormation's response for a stack that does not exist (API reference, DescribeStacks).
    if ((failure as Error).name === 'ValidationError') return undefined;
    throw failure;
  } finally {
    client.destroy();
  }
}
