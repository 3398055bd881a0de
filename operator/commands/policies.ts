/** `policy --for KIND --stage S`: prints an IAM policy as JSON; before a first deployment too. */

import { readCaller } from '../aws-account.ts';
import { boundaryStatements } from '../policies/boundary.ts';
import { adminStatements, bootstrapStatements, upStatements } from '../policies/commands.ts';
import { executionStatements } from '../policies/execution.ts';
import { MAX_POLICY_CHARACTERS, type PolicyDocumentText, type PolicyScope } from '../policies/scope.ts';
import { type Command, type CommandOutput, options } from './arguments.ts';

const KINDS = {
  up: upStatements,
  admin: adminStatements,
  bootstrap: bootstrapStatements,
  execution: executionStatements,
  boundary: boundaryStatements,
} as const;

export type PolicyKind = keyof typeof KINDS;
export const POLICY_KINDS = Object.keys(KINDS) as readonly PolicyKind[];

/** Returns the policy. Throws if it were too large for a managed policy. */
export function policyDocument(kind: PolicyKind, scope: PolicyScope): PolicyDocumentText {
  const document = { Version: '2012-10-17' as const, Statement: KINDS[kind](scope) };
  const length = JSON.stringify(document).length;
  if (length > MAX_POLICY_CHARACTERS) throw new Error(`the policy has ${length} characters, IAM takes 6144`);
  return document;
}

/** Returns the account and region of the arguments, else those of the credentials. */
async function scopeOf(
  stage: string,
  values: Readonly<Record<string, string | undefined>>,
): Promise<PolicyScope> {
  const { account, region } = values;
  if (account !== undefined && region !== undefined)
    return { partition: 'aws', accountId: account, region, stage };
  const caller = await readCaller().catch((cause: Error) => {
    throw new Error(`${cause.message}; or name --account and --region`, { cause });
  });
  const { partition } = caller;
  return { partition, accountId: account ?? caller.accountId, region: region ?? caller.region, stage };
}

async function printPolicy(args: readonly string[], stage: string | undefined): Promise<CommandOutput> {
  const values = options(args, ['for'], ['account', 'region']);
  const kind = POLICY_KINDS.find((known) => known === values.for);
  if (kind === undefined) throw new Error(`--for must be one of ${POLICY_KINDS.join(', ')}`);
  if (stage === undefined) throw new Error('a policy is for a deployment: name its --stage');
  const document = policyDocument(kind, await scopeOf(stage, values));
  return { output: { ...document }, exitCode: 0, text: JSON.stringify(document, null, 2) };
}

export const POLICY_COMMAND: Command = {
  usage: '--for up|admin|bootstrap|execution|boundary [--account ID --region REGION]',
  alone: printPolicy,
  async run() {
    throw new Error('a policy is printed without a service');
  },
};
