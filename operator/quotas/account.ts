/** What an AWS account grants and has, as far as AWS shows it to the operator. */
import {
  CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type AwsAccess, AwsRefusal, callJson, getJson } from './aws-json.ts';

/** A figure, or why it could not be read. */
export type Figure = { readonly value: number } | { readonly unread: string };

/** The quotas of the account in the region of the deployment. */
export interface Granted {
  readonly lambdaConcurrency: Figure;
  readonly gatewayRate: Figure;
  readonly gatewayBurst: Figure;
  readonly integrationTimeoutMs: Figure;
  readonly tables: Figure;
  readonly tableWrites: Figure;
  readonly webAcls: Figure;
  readonly stacks: Figure;
}

/** What is there already, other stages and other programs included. */
export interface Present {
  readonly tables: Figure;
  readonly webAcls: Figure;
  readonly stacks: Figure;
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
} as const;

const quotaAnswer = z.object({ Quota: z.object({ Value: z.number() }) });

/** The quota of the account; where it has none of its own, AWS's default. */
async function quotaOf(access: AwsAccess, [service, quota]: readonly [string, string]): Promise<number> {
  const ask = async (operation: string) => {
    const input = { ServiceCode: service, QuotaCode: quota };
    const target = `ServiceQuotasV20190624.${operation}`;
    return quotaAnswer.parse(await callJson(access, { service: 'servicequotas', target, input })).Quota.Value;
  };
  try {
    return await ask('GetServiceQuota');
  } catch (failure) {
    if (!(failure instanceof AwsRefusal) || failure.name !== 'NoSuchResourceException') throw failure;
    return ask('GetAWSDefaultServiceQuota');
  }
}

/** A figure that cannot be read is given with the reason, and ends nothing else. */
async function figure(read: () => Promise<number>): Promise<Figure> {
  try {
    return { value: await read() };
  } catch (failure) {
    const { name, message } = failure as Error;
    return { unread: failure instanceof AwsRefusal ? name : `${name}: ${message}` };
  }
}

const accountSettings = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });
const gatewayAccount = z.object({
  throttleSettings: z.object({ rateLimit: z.number(), burstLimit: z.number() }),
});

export async function readGranted(access: AwsAccess): Promise<Granted> {
  // Lambda shows what it applies; Service Quotas may show a new account the default that it does not have yet.
  const lambda = async () => {
    const answer = await getJson(access, { service: 'lambda', path: '/2016-08-19/account-settings/' });
    return accountSettings.parse(answer).AccountLimit.ConcurrentExecutions;
  };
  const gateway = async () =>
    gatewayAccount.parse(await getJson(access, { service: 'apigateway', path: '/account' })).throttleSettings;
  const quotas = Object.entries(CODES).map(
    async ([name, code]) => [name, await figure(() => quotaOf(access, code))] as const,
  );
  const [lambdaConcurrency, gatewayRate, gatewayBurst, ...others] = await Promise.all([
    figure(lambda),
    figure(async () => (await gateway()).rateLimit),
    figure(async () => (await gateway()).burstLimit),
    ...quotas,
  ]);
  const read = Object.fromEntries(others) as Record<keyof typeof CODES, Figure>;
  return { lambdaConcurrency, gatewayRate, gatewayBurst, ...read };
}

const webAcls = z.object({ WebACLs: z.array(z.unknown()), NextMarker: z.string().nullish() });

/** At most this many are listed at once (API reference, ListWebACLs). */
const WEB_ACLS = 100;

async function countWebAcls(access: AwsAccess): Promise<number> {
  const input = { Scope: 'REGIONAL', Limit: WEB_ACLS };
  const target = 'AWSWAF_20190729.ListWebACLs';
  return webAcls.parse(await callJson(access, { service: 'wafv2', target, input })).WebACLs.length;
}

/** What the account has in the region of the deployment, and what of it is the stage's. */
export async function readPresent(access: AwsAccess, stage: string): Promise<Present> {
  const cloudFormation = new CloudFormationClient({});
  const database = new DynamoDBClient({});
  try {
    let names: readonly string[] = [];
    const stacks = await figure(async () => {
      names = await namesOfStacks(cloudFormation);
      return names.length;
    });
    const own = names.filter((name) => name.startsWith(`Inference-${stage}-`));
    return {
      tables: await figure(() => countTables(database)),
      webAcls: await figure(() => countWebAcls(access)),
      stacks,
      stageStacks: await resourcesOf(cloudFormation, own),
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
