/** The quotas and resources of an AWS account that can stop a deployment, if AWS shows them to the operator. */
import { EC2Client, paginateDescribeVpcs } from '@aws-sdk/client-ec2';
import { GetAccountSummaryCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  NoSuchResourceException,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { StageStacks } from '../deployment/stacks.ts';

/** A value, or the reason why it could not be read. */
export type QuotaValue = { readonly value: number } | { readonly unread: string };

/** The quota of a resource, and the number that exists, including those of other stages and other programs. */
interface CountedResource {
  readonly granted: QuotaValue;
  readonly present: QuotaValue;
}

export interface AccountState {
  readonly lambdaConcurrency: QuotaValue;
  readonly roles: CountedResource;
  /** The networks of the region of the deployment. */
  readonly vpcs: CountedResource;
  /** The names of the stacks of the stage. */
  readonly stageStacks: readonly string[];
}

/** Codes of Service Quotas (console, Service Quotas, AWS services, Amazon VPC, VPCs per Region). */
const VPCS = { ServiceCode: 'vpc', QuotaCode: 'L-F678F1CE' } as const;

interface Client {
  destroy(): void;
}

/** Reads with a client. If that fails, returns the reason, without an effect on other values. */
async function readQuotaValue<T extends Client>(
  client: T,
  read: (client: T) => Promise<number | undefined>,
): Promise<QuotaValue> {
  try {
    const value = await read(client);
    return value === undefined ? { unread: 'AWS answered none' } : { value };
  } catch (failure) {
    const { name, message } = failure as Error;
    const isOfAws = '$fault' in (failure as Error) || '$metadata' in (failure as Error);
    return { unread: isOfAws ? name : `${name}: ${message}` };
  } finally {
    client.destroy();
  }
}

/** Returns the quota of the account; if it has none, AWS's default. */
async function readVpcQuota(client: ServiceQuotasClient): Promise<number | undefined> {
  try {
    return (await client.send(new GetServiceQuotaCommand(VPCS))).Quota?.Value;
  } catch (failure) {
    if (!(failure instanceof NoSuchResourceException)) throw failure;
    return (await client.send(new GetAWSDefaultServiceQuotaCommand(VPCS))).Quota?.Value;
  }
}

async function countVpcs(client: EC2Client): Promise<number> {
  let count = 0;
  for await (const { Vpcs: vpcs = [] } of paginateDescribeVpcs({ client }, {})) count += vpcs.length;
  return count;
}

/** Returns a value of IAM's summary of the account: its number of roles, or their quota. */
const readRoles = (key: 'Roles' | 'RolesQuota'): Promise<QuotaValue> =>
  readQuotaValue(
    new IAMClient(),
    async (client) => (await client.send(new GetAccountSummaryCommand({}))).SummaryMap?.[key],
  );

/** Returns no names if they cannot be read: then the stage counts as new. */
async function readStageStacks(region: string, stage: string): Promise<readonly string[]> {
  const stacks = new StageStacks(region, stage);
  try {
    return (await stacks.list()).map(({ StackName: name = '' }) => name);
  } catch {
    return [];
  } finally {
    stacks.close();
  }
}

export async function readAccountState(region: string, stage: string): Promise<AccountState> {
  // Lambda shows what it applies; Service Quotas may show a new account the default that it does not have yet.
  const lambdaConcurrency = readQuotaValue(
    new LambdaClient(),
    async (client) =>
      (await client.send(new GetAccountSettingsCommand({}))).AccountLimit?.ConcurrentExecutions,
  );
  return {
    lambdaConcurrency: await lambdaConcurrency,
    roles: { granted: await readRoles('RolesQuota'), present: await readRoles('Roles') },
    vpcs: {
      granted: await readQuotaValue(new ServiceQuotasClient(), readVpcQuota),
      present: await readQuotaValue(new EC2Client(), countVpcs),
    },
    stageStacks: await readStageStacks(region, stage),
  };
}
