/** The needs of a deployment, next to the quotas that an account grants. */
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { type Config, hostTasksOf } from '../../lib/config/config.ts';
import { HOST_TASK } from '../../lib/config/host-size.ts';
import type { AccountQuotas, AccountResources, QuotaValue } from './account.ts';

/** The traffic that quotas are compared with. */
export interface ExpectedLoad {
  /** Paid calls a second. */
  readonly calls: number;
  /** The duration of one call. A function is in use for all of it. */
  readonly seconds: number;
  /** The setting `requestsPerSecond`, of each of the two APIs. */
  readonly requests: number;
}

export interface Row {
  readonly quota: string;
  readonly needed: number;
  readonly granted: QuotaValue;
  /** Undefined where what is granted could not be read. */
  readonly enough: boolean | undefined;
  /** The derivation of `needed`. */
  readonly why: string;
  /** A deployment fails without it. Without the others, it serves less. */
  readonly isRequired: boolean;
}

/** Lambda reserves this number for functions without a reserved share; everything except paid calls uses them. */
const OTHER_EXECUTIONS = 100;

const APIS = 2;

/** The time that API Gateway waits for a function that does not stream. Streams have 15 minutes and no quota. */
const BUFFERED_TIMEOUT_MS = 29_000;

/** Measured for a call, all tables together (`npm run cost`): no table has more. */
const WRITES_A_CALL = 5;

/** Data, inference, platform and operations, and with some settings ingress and the alarms of CloudFront. */
const STACKS = 6;

const WEB_ACLS = 1;

/** The roles of a stage in the largest configuration. CloudFormation has one quota for those of the account. */
const ROLES = 100;

/** While a deployment replaces the tasks, all old ones run next to all new ones (ECS, maximum of 200 %). */
const TASKS_WHILE_DEPLOYING = 2;

/** The host of uploads has tasks of half a vCPU, ten at most (`lib/constructs/edge/upload-host.ts`). */
const UPLOAD_VCPUS = 5;

/** The quota of resources of a stack, which cannot be raised (CloudFormation user guide, quotas). */
const RESOURCES: QuotaValue = { value: 500 };

const row = (quota: string, needed: number, granted: QuotaValue, why: string): Row => ({
  quota,
  needed,
  granted,
  why,
  enough: 'value' in granted ? granted.value >= needed : undefined,
  isRequired: false,
});

/** Marks a quota without which a deployment fails. */
const required = (each: Row): Row => ({ ...each, isRequired: true });

/** Returns the number that exists, plus the number that the stage adds if it is not deployed yet. */
function total(
  present: QuotaValue,
  stageCount: number,
  isDeployed: boolean,
): { readonly sum: number; readonly why: string } {
  const there = 'value' in present ? present.value : 0;
  const unread = 'value' in present ? '' : `; what is there was not read: ${present.unread}`;
  return isDeployed
    ? { sum: there, why: `all that are there${unread}` }
    : { sum: there + stageCount, why: `${there} that are there, ${stageCount} of the stage${unread}` };
}

/** Returns the vCPUs that tasks of Fargate take during a deployment, with their derivation; undefined without tasks. */
function fargateNeed(config: Config): { readonly vcpus: number; readonly why: string } | undefined {
  if (config.compute === 'fargate') {
    const { most } = hostTasksOf(config);
    const vcpus = TASKS_WHILE_DEPLOYING * most * HOST_TASK.vcpu;
    return { vcpus, why: `${most} tasks of ${HOST_TASK.vcpu} vCPU, twice while they are replaced` };
  }
  if (config.ingress !== 'fargate') return undefined;
  return {
    vcpus: TASKS_WHILE_DEPLOYING * UPLOAD_VCPUS,
    why: '10 tasks of uploads, twice while they are replaced',
  };
}

/** Returns the rows of hosts on Fargate. */
function hostRows(granted: AccountQuotas, present: AccountResources, config: Config): readonly Row[] {
  const need = fargateNeed(config);
  if (need === undefined) return [];
  const hasHost = [...(present.stageStacks?.keys() ?? [])].some((name) => name.endsWith('-ingress'));
  const vpcs = total(present.vpcs, 1, hasHost);
  return [
    row('Fargate: On-Demand vCPUs', need.vcpus, granted.fargateVcpus, need.why),
    required(row('VPC: networks of the region', vpcs.sum, granted.vpcs, vpcs.why)),
  ];
}

/** Compares them, in the order in which they are met. */
export function rowsOf(
  granted: AccountQuotas,
  present: AccountResources,
  { calls, seconds, requests }: ExpectedLoad,
  config: Config,
): readonly Row[] {
  const isDeployed = present.stageStacks !== undefined;
  const tables = total(present.tables, Object.keys(TABLES).length, isDeployed);
  const acls = total(present.webAcls, WEB_ACLS, isDeployed);
  const stacks = total(present.stacks, STACKS, isDeployed);
  const roles = total(present.roles, ROLES, isDeployed);
  const rate = APIS * requests;
  const ofApis = `${APIS} APIs of ${requests} a second`;
  const writes = Math.ceil(calls * WRITES_A_CALL);
  return [
    row(
      'Lambda: concurrent executions',
      Math.ceil(calls * seconds) + OTHER_EXECUTIONS,
      granted.lambdaConcurrency,
      `${calls} calls a second of ${seconds} s, ${OTHER_EXECUTIONS} for the rest`,
    ),
    row('API Gateway: requests a second', rate, granted.gatewayRate, ofApis),
    row('API Gateway: requests at once', rate, granted.gatewayBurst, ofApis),
    row(
      'API Gateway: integration timeout, ms',
      BUFFERED_TIMEOUT_MS,
      granted.integrationTimeoutMs,
      'routes that do not stream',
    ),
    required(row('DynamoDB: tables', tables.sum, granted.tables, tables.why)),
    row(
      'DynamoDB: write units a second of a table',
      writes,
      granted.tableWrites,
      `${WRITES_A_CALL} a call, as if all were one table’s`,
    ),
    required(row('WAF: regional web ACLs', acls.sum, granted.webAcls, acls.why)),
    required(row('CloudFormation: stacks', stacks.sum, granted.stacks, stacks.why)),
    required(row('IAM: roles of the account', roles.sum, granted.roles, roles.why)),
    ...hostRows(granted, present, config),
    ...[...(present.stageStacks ?? [])].map(([name, count]) =>
      required(row(`CloudFormation: resources of ${name}`, count, RESOURCES, 'fixed for every account')),
    ),
  ];
}
