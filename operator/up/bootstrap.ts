/**
 * The rights of CloudFormation: the policies that limit it and the roles of the stage, and the bootstraps of the CDK that give
 * it the first. Both are read before the question, and written after it.
 */
import {
  CreatePolicyCommand,
  CreatePolicyVersionCommand,
  DeletePolicyVersionCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  IAMClient,
  ListPolicyVersionsCommand,
  NoSuchEntityException,
} from '@aws-sdk/client-iam';
import type { Config } from '../../lib/config/config.ts';
import { boundaryName, executionPolicyName } from '../../lib/config/stage-names.ts';
import { type AwsCaller, BOOTSTRAP_VERSION, type Bootstrap, readBootstrap } from '../aws-account.ts';
import { policyDocument } from '../commands/policies.ts';
import { Names } from '../policies/scope.ts';

/** The policy of a standard bootstrap, by the end of its ARN. */
const ADMINISTRATOR = ':policy/AdministratorAccess';

const NO_BOOTSTRAP: Bootstrap = { version: 0, executionPolicies: [] };

/** A policy of CloudFormation for a stage, by the end of its ARN. */
const EXECUTION = /:policy\/Inference-[^/]+-execution-[^/]+$/;

/** A managed policy has at most five versions, and a role at most ten managed policies (IAM user guide, quotas). */
const MAX_VERSIONS = 5;
const MAX_POLICIES = 10;

interface StagePolicy {
  readonly name: string;
  readonly limits: string;
  readonly arn: string;
  readonly document: string;
}

interface BootstrapChange {
  readonly region: string;
  /** The policies of CloudFormation; the CDK's default if there are none. */
  readonly policies: readonly string[];
}

export interface RightsChange {
  readonly policies: readonly StagePolicy[];
  readonly bootstraps: readonly BootstrapChange[];
  /** Lines for the operator, who accepts them. */
  readonly lines: readonly string[];
}

/** Returns the policies that the stage needs in these regions, and the bootstraps that are missing or lack one. */
export function neededRights(
  { stage, bootstrap: setting }: Pick<Config, 'stage' | 'bootstrap'>,
  caller: Pick<AwsCaller, 'partition' | 'accountId'>,
  found: ReadonlyMap<string, Bootstrap | undefined>,
): RightsChange {
  const policyOf = (name: string, kind: 'boundary' | 'execution', region: string): StagePolicy => {
    const scope = { ...caller, region, stage };
    const limits = kind === 'boundary' ? 'every role of the stage' : `CloudFormation in ${region}`;
    return {
      name,
      limits,
      arn: new Names(scope).arn('iam', `policy/${name}`, 'global'),
      document: JSON.stringify(policyDocument(kind, scope)),
    };
  };
  const isScoped = setting === 'scoped';
  const policies = isScoped ? [policyOf(boundaryName(stage), 'boundary', '*')] : [];
  const bootstraps: BootstrapChange[] = [];
  const lines: string[] = [];
  for (const [region, { version, executionPolicies } = NO_BOOTSTRAP] of found) {
    const own: string[] = [];
    // Other apps may need it.
    const isAdministrator = executionPolicies.some((policy) => policy.endsWith(ADMINISTRATOR));
    if (isScoped && !isAdministrator) {
      const policy = policyOf(executionPolicyName(stage, region), 'execution', region);
      policies.push(policy);
      if (!executionPolicies.includes(policy.arn)) own.push(policy.arn);
    }
    const isLimited = executionPolicies.length > 0 && executionPolicies.every((each) => EXECUTION.test(each));
    if (!isScoped && isLimited)
      throw new Error(
        `the bootstrap in ${region} limits CloudFormation: bootstrap with AdministratorAccess first, or leave "bootstrap" out of the settings`,
      );
    if (executionPolicies.length + own.length > MAX_POLICIES)
      throw new Error(
        `the bootstrap in ${region} has ${executionPolicies.length} policies of ${MAX_POLICIES}: delete those of stages that are gone, or deploy this stage in another account`,
      );
    if (version < BOOTSTRAP_VERSION || own.length > 0) {
      bootstraps.push({ region, policies: [...executionPolicies, ...own] });
      lines.push(
        `a bootstrap of the CDK in ${region}: a bucket, a repository and five roles for deployments`,
      );
    }
    if (isAdministrator || (!isScoped && executionPolicies.length === 0))
      lines.push(
        `who deploys is an administrator of the account: the bootstrap in ${region} gives CloudFormation AdministratorAccess`,
      );
  }
  return { policies, bootstraps, lines };
}

/** Returns what is missing in these regions, or differs from what this version of the service needs. */
export async function missingRights(
  config: Config,
  caller: AwsCaller,
  regions: readonly string[],
): Promise<RightsChange> {
  const found = await Promise.all(
    regions.map(async (region) => [region, await readBootstrap(region)] as const),
  );
  const { policies: needed, bootstraps, lines } = neededRights(config, caller, new Map(found));
  const client = new IAMClient();
  try {
    const stored = await Promise.all(needed.map(({ arn }) => readDocument(client, arn)));
    const policies = needed.filter(({ document }, at) => document !== stored[at]);
    const written = policies.map(({ name, limits }) => `the policy ${name}, which limits ${limits}`);
    return { policies, bootstraps, lines: [...written, ...lines] };
  } finally {
    client.destroy();
  }
}

/** Returns the document in use; undefined if there is no such policy. */
async function readDocument(client: IAMClient, PolicyArn: string): Promise<string | undefined> {
  try {
    const { Policy: policy } = await client.send(new GetPolicyCommand({ PolicyArn }));
    const { PolicyVersion: version } = await client.send(
      new GetPolicyVersionCommand({ PolicyArn, VersionId: policy?.DefaultVersionId }),
    );
    // IAM encodes it as a part of a URL (API reference, GetPolicyVersion).
    return decodeURIComponent(version?.Document ?? '');
  } catch (failure) {
    if (failure instanceof NoSuchEntityException) return undefined;
    throw failure;
  }
}

/** Creates the policies, or replaces their content. Safe to repeat. */
export async function writePolicies(policies: readonly StagePolicy[]): Promise<void> {
  const client = new IAMClient();
  try {
    for (const { name, arn: PolicyArn, document: PolicyDocument } of policies) {
      if ((await readDocument(client, PolicyArn)) === undefined) {
        await client.send(new CreatePolicyCommand({ PolicyName: name, PolicyDocument }));
        continue;
      }
      const { Versions: versions = [] } = await client.send(new ListPolicyVersionsCommand({ PolicyArn }));
      // The newest is first.
      const oldest = versions.filter(({ IsDefaultVersion: isDefault }) => isDefault !== true).at(-1);
      if (versions.length >= MAX_VERSIONS)
        await client.send(new DeletePolicyVersionCommand({ PolicyArn, VersionId: oldest?.VersionId }));
      await client.send(new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument, SetAsDefault: true }));
    }
  } finally {
    client.destroy();
  }
}
