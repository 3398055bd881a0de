/**
 * `npm run down`: deletes the stacks of a stage after its name is typed, and lists what it retains: tables and secrets,
 * because they contain money and keys. Safe to repeat.
 */
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { CloudFormationClient, paginateListStackResources, type Stack } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { createSecretsClient } from '../../lambdas/platform/aws/clients.ts';
import { maintenanceParameter } from '../../lambdas/platform/contract/maintenance.ts';
import { formatUsd } from '../../lambdas/platform/core/money.ts';
import { readCaller } from '../aws-account.ts';
import { StageStacks } from '../deployment/stacks.ts';
import { EDGE_REGION } from '../quotas/checks.ts';

const DATA = 'data';

/** Stacks by the end of their names: one that imports from another is deleted before it. */
const ORDER = ['operations', 'ingress', 'platform', 'inference', DATA] as const;

/** A month of a secret, nano-USD: 0.40 USD (Secrets Manager pricing). */
const SECRET_USD = 400_000_000n;

interface RetainedData {
  readonly tables: readonly string[];
  readonly secrets: readonly string[];
}

/** The secrets of the data stack, which have names of CloudFormation, and those below the name of the stage. */
async function keptOf(region: string, stage: string): Promise<RetainedData> {
  const clients = {
    cloudFormation: new CloudFormationClient({ region }),
    database: new DynamoDBClient({ region }),
    secrets: createSecretsClient({ region }),
  };
  const dataStack = `Inference-${stage}-${DATA}`;
  const tables: string[] = [];
  const secrets = new Set<string>();
  try {
    for await (const { TableNames: names = [] } of paginateListTables({ client: clients.database }, {}))
      tables.push(...names.filter((name) => name.startsWith(`${dataStack}-`)));
    const filters = { Filters: [{ Key: 'name' as const, Values: [`${stage}/`] }] };
    for await (const { SecretList: list = [] } of paginateListSecrets({ client: clients.secrets }, filters))
      for (const { Name: name = '' } of list) secrets.add(name);
    for (const name of await secretsIn(clients.cloudFormation, dataStack)) secrets.add(name);
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
  return { tables: tables.sort(), secrets: [...secrets].sort() };
}

async function secretsIn(client: CloudFormationClient, stack: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const page of paginateListStackResources({ client }, { StackName: stack }))
      for (const { ResourceType: type, PhysicalResourceId: id = '' } of page.StackResourceSummaries ?? [])
        if (type === 'AWS::SecretsManager::Secret') names.push(id);
  } catch (failure) {
    // CloudFormation's response for a stack that does not exist, as after an earlier run.
    if ((failure as Error).name !== 'ValidationError') throw failure;
  }
  return names;
}

/** A stack that is not listed imports from others, and none imports from it. */
function inOrder(stacks: readonly Stack[]): readonly Stack[] {
  const rank = ({ StackName: name = '' }: Stack) => ORDER.findIndex((end) => name.endsWith(`-${end}`));
  return stacks.toSorted((a, b) => rank(a) - rank(b));
}

/** Throws unless the operator types the name of the stage; `--yes` has it typed in `--stage`. */
async function confirm(stage: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (process.stdin.isTTY !== true) throw new Error('there is no terminal to ask on: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Type ${stage} to delete its stacks: `);
  terminal.close();
  if (answer.trim() !== stage) throw new Error('nothing was deleted');
}

async function down(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { stage: { type: 'string' }, yes: { type: 'boolean', default: false } },
  });
  const { stage } = values;
  if (stage === undefined) throw new Error('usage: npm run down -- --stage STAGE [--yes]');
  const { accountId, region } = await readCaller();
  const regions = [...new Set([region, EDGE_REGION])].map((name) => new StageStacks(name, stage));
  try {
    const kept = await keptOf(region, stage);
    const found = inOrder((await Promise.all(regions.map((stacks) => stacks.list()))).flat());
    console.log(`account ${accountId}, ${region}`);
    for (const { StackName: name } of found) console.log(`deletes   ${name}`);
    if (found.length === 0) console.log(`deletes   nothing: there is no stack of ${stage}`);
    for (const name of kept.tables) console.log(`keeps     table ${name}`);
    for (const name of kept.secrets) console.log(`keeps     secret ${name}`);
    console.log(`keeps     parameter ${maintenanceParameter(stage)}, if "admin close" has made it`);
    console.log('keeps     the bootstrap of the CDK, and what is in its bucket');
    const secretsUsd = formatUsd(BigInt(kept.secrets.length) * SECRET_USD);
    console.log(
      `costs     ${secretsUsd} USD a month for ${kept.secrets.length} secrets, 0.25 USD a GB of ${kept.tables.length} tables and 0.20 USD a GB of their recovery (us-east-1)`,
    );
    if (found.length > 0) await confirm(stage, values.yes);
    for (const stack of found) {
      const owner = regions.find((_, at) => stack.StackId?.split(':')[3] === [region, EDGE_REGION][at]);
      await (owner ?? regions[0])?.delete(stack);
      console.log(`deleted   ${stack.StackName}`);
    }
  } finally {
    for (const stacks of regions) stacks.close();
  }
}

try {
  await down(process.argv.slice(2));
} catch (failure) {
  console.error(`error: ${(failure as Error).message}`);
  process.exitCode = 1;
}
