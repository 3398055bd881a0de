/** The quotas and resources of an AWS account, if AWS shows them to the operator. */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { EC2Client, paginateDescribeVpcs } from '@aws-sdk/client-ec2';
import { GetAccountSummaryCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  NoSuchResourceException,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import { ListWebACLsCommand, WAFV2Client } from '@aws-sdk/client-wafv2';

/** A value, or the reason why it could not be read. */
export type QuotaValue = { readonly value: number } | { readonly unread: string };

/** The quotas of the account in the region of the deployment. */
export interface AccountQuotas {
  readonly lambdaConcurrency: QuotaValue;
  readonly gatewayRate: QuotaValue;
  readonly gatewayBurst: QuotaValue;
  readonly integrationTimeoutMs: QuotaValue;
  readonly tables: QuotaValue;
  readonly tableWrites: QuotaValue;
  readonly webAcls: QuotaValue;
  readonly stacks: QuotaValue;
  readonly roles: QuotaValue;
  readonly fargateVcpus: QuotaValue;
  readonly vpcs: QuotaValue;
}

/** The resources that exist already, including those of other stages and other programs. */
export interface AccountResources {
  readonly tables: QuotaValue;
  readonly webAcls: QuotaValue;
  readonly stacks: QuotaValue;
  readonly roles: QuotaValue;
  readonly vpcs: QuotaValue;
  /** The stacks of the stage, each with its number of resources; none before its first deployment. */
  readonly stageStacks: ReadonlyMap<string, number> | undefined;
}

/** Service and quota codes of Service Quotas (console, Service Quotas, AWS services). */
const CODES = {
  integrationTimeoutMs: ['apigateway', 'L-E5AE38E3'],
  tables: ['dynamodb', 'L-F98FE922'],
  tableWrites: ['dynamodb', 'L-AB614373'],
  webAcls: ['wafv2', 'L-2EC3DE7B'],
  stacks: ['cloudformation', 'L-0485CB21'],
  fargateVcpus: ['fargate', 'L-3032A538'],
  vpcs: ['vpc', 'L-F678F1CE'],
} as const;

/** Returns the quota of the account; if it has none, AWS's default. */
async function quotaOf(client: ServiceQuotasClient, [service, code]: readonly [string, string]) {
  const input = { ServiceCode: service, QuotaCode: code };
  try {
    return (await client.send(new GetServiceQuotaCommand(input))).Quota?.Value;
  } catch (failure) {
    if (!(failure instanceof NoSuchResourceException)) throw failure;
    return (await client.send(new GetAWSDefaultServiceQuotaCommand(input))).Quota?.Value;
  }
}

/** Reads a value. If it cannot be read, returns the reason, without an effect on other values. */
async function readQuotaValue(read: () => Promise<number | undefined>): Promise<QuotaValue> {
  try {
    const value = await read();
    return value === undefined ? { unread: 'AWS answered none' } : { value };
  } catch (failure) {
    const { name, message } = failure as Error;
    return { unread: '$fault' in (failure as Error) ? name : `${name}: ${message}` };
  }
}

export async function readGranted(): Promise<AccountQuotas> {
  const [lambda, gateway, quotas] = [new LambdaClient(), new APIGatewayClient(), new ServiceQuotasClient()];
  const throttle = async () => (await gateway.send(new GetAccountCommand({}))).throttleSettings;
  // Lambda shows what it applies; Service Quotas may show a new account the default that it does not have yet.
  const executions = async () =>
    (await lambda.send(new GetAccountSettingsCommand({}))).AccountLimit?.ConcurrentExecutions;
  const serviceQuotas = Object.entries(CODES).map(
    async ([name, code]) => [name, await readQuotaValue(() => quotaOf(quotas, code))] as const,
  );
  try {
    return {
      lambdaConcurrency: await readQuotaValue(executions),
      gatewayRate: await readQuotaValue(async () => (await throttle())?.rateLimit),
      gatewayBurst: await readQuotaValue(async () => (await throttle())?.burstLimit),
      roles: await readQuotaValue(() => readRoles('RolesQuota')),
      ...(Object.fromEntries(await Promise.all(serviceQuotas)) as Record<keyof typeof CODES, QuotaValue>),
    };
  } finally {
    for (const client of [lambda, gateway, quotas]) client.destroy();
  }
}

/** Returns a value of IAM's summary of the account: its number of roles, or their quota. */
async function readRoles(key: 'Roles' | 'RolesQuota'): Promise<number | undefined> {
  const client = new IAMClient();
  try {
    return (await client.send(new GetAccountSummaryCommand({}))).SummaryMap?.[key];
  } finally {
    client.destroy();
  }
}

async function countVpcs(): Promise<number> {
  const client = new EC2Client();
  try {
    let count = 0;
    for await (const { Vpcs: vpcs = [] } of paginateDescribeVpcs({ client }, {})) count += vpcs.length;
    return count;
  } finally {
    client.destroy();
  }
}

/** At most this many are listed at once (API reference, ListWebACLs). */
const WEB_ACLS = 100;

async function countWebAcls(): Promise<number | undefined> {
  const client = new WAFV2Client();
  try {
    const { WebACLs } = await client.send(new ListWebACLsCommand({ Scope: 'REGIONAL', Limit: WEB_ACLS }));
    return WebACLs?.length;
  } finally {
    client.destroy();
  }
}

/** Reads the resources of the account in the region of the deployment, and those of the stage among them. */
export async function readPresent(stage: string): Promise<AccountResources> {
  const cloudFormation = new CloudFormationClient({});
  const database = new DynamoDBClient({});
  try {
    let names: readonly string[] = [];
    const stacks = await readQuotaValue(async () => {
      names = await namesOfStacks(cloudFormation);
      return names.length;
    });
    const stageStackNames = names.filter((name) => name.startsWith(`Inference-${stage}-`));
    return {
      tables: await readQuotaValue(() => countTables(database)),
      webAcls: await readQuotaValue(countWebAcls),
      roles: await readQuotaValue(() => readRoles('Roles')),
      vpcs: await readQuotaValue(countVpcs),
      stacks,
      stageStacks: await resourcesOf(cloudFormation, stageStackNames),
    };
  } finally {
    cloudFormation.destroy();
    database.destroy();
  }
}

async function namesOfStacks(client: CloudFormationClient): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { Stacks: stacks = [] } of paginateDescribeStacks({ client }, {}))
    names.push(...stacks.flatMap(({ StackName: name }) => name ?? []));
  return names;
}

async function countTables(client: DynamoDBClient): Promise<number> {
  let count = 0;
  for await (const { TableNames: names = [] } of paginateListTables({ client }, {})) count += names.length;
  return count;
}

async function resourcesOf(
  client: CloudFormationClient,
  stacks: readonly string[],
): Promise<ReadonlyMap<string, number> | undefined> {
  if (stacks.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const name of stacks) {
    let count = 0;
    const pages = paginateListStackResources({ client }, { StackName: name });
    for await (const { StackResourceSummaries: resources = [] } of pages) count += resources.length;
    counts.set(name, count);
  }
  return counts;
}
