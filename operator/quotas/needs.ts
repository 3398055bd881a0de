/** The needs of a deployment, next to the quotas that an account grants. */
import type { Config } from '../../lib/config/config.ts';
import type { SynthesizedCounts } from '../deployment/assembly.ts';
import type { AccountState, QuotaValue } from './account.ts';

/** The traffic that quotas are compared with. */
export interface ExpectedLoad {
  /** Paid calls a second. */
  readonly calls: number;
  /** The duration of one call. A function is in use for all of it. */
  readonly seconds: number;
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

/** The quota of resources of a stack, which cannot be raised (CloudFormation user guide, quotas). */
export const STACK_RESOURCES: QuotaValue = { value: 500 };

const row = (quota: string, needed: number, granted: QuotaValue, why: string): Row => ({
  quota,
  needed,
  granted,
  why,
  enough: 'value' in granted ? granted.value >= needed : undefined,
  isRequired: true,
});

/** A resource of which the stage adds a number if it is not deployed yet. */
function counted(
  quota: string,
  { granted, present }: AccountState['roles'],
  added: number,
  isDeployed: boolean,
): Row {
  const there = 'value' in present ? present.value : 0;
  const unread = 'value' in present ? '' : `; what is there was not read: ${present.unread}`;
  return isDeployed
    ? row(quota, there, granted, `all that are there${unread}`)
    : row(quota, there + added, granted, `${there} that are there, ${added} of the stage${unread}`);
}

/** Compares them. */
export function rowsOf(
  { lambdaConcurrency, roles, vpcs, stageStacks }: AccountState,
  load: ExpectedLoad,
  config: Config,
  synthesized: SynthesizedCounts,
): readonly Row[] {
  const { calls, seconds } = load;
  const { compute, ingress } = config;
  const executions = row(
    'Lambda: concurrent executions',
    Math.ceil(calls * seconds) + OTHER_EXECUTIONS,
    lambdaConcurrency,
    `${calls} calls a second of ${seconds} s, ${OTHER_EXECUTIONS} for the rest`,
  );
  const hasNetwork = compute === 'fargate' || ingress === 'fargate';
  const isDeployed = (end: string) => stageStacks.some((name) => name.endsWith(end));
  return [
    { ...executions, isRequired: false },
    counted('IAM: roles of the account', roles, synthesized.roles, stageStacks.length > 0),
    ...(hasNetwork ? [counted('VPC: networks of the region', vpcs, 1, isDeployed('-ingress'))] : []),
    ...[...synthesized.resources].map(([name, count]) =>
      row(`CloudFormation: resources of ${name}`, count, STACK_RESOURCES, 'fixed for every account'),
    ),
  ];
}
