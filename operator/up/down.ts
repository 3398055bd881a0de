/**
 * `npm run down`: deletes the stacks of a stage after its name is typed, with the recordings that calls have left, and lists
 * what it retains, among it tables and secrets, because they contain money and keys. Safe to repeat.
 */
import { createInterface } from 'node:readline/promises';
import type { Stack } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { createSecretsClient } from '../../lambdas/platform/aws/clients.ts';
import { formatUsd } from '../../lambdas/platform/core/money.ts';
import { readCaller } from '../aws-account.ts';
import { type RetainedResource, StageStacks } from '../deployment/stacks.ts';
import { EDGE_REGION } from '../policies/scope.ts';
import { readOptions } from '../read-options.ts';
import { emptyRecordings } from './recordings.ts';

const DATA = 'data';

/** Stacks by the end of their names: one that imports from another is deleted before it. */
const ORDER = ['operations', 'ingress', 'platform', 'inference', DATA] as const;

const TABLE = 'AWS::DynamoDB::GlobalTable';
const SECRET = 'AWS::SecretsManager::Secret';
const LOG_GROUP = 'AWS::Logs::LogGroup';

/** A month of a secret, nano-USD: 0.40 USD (Secrets Manager pricing). */
const SECRET_USD = 400_000_000n;

/**
 * Lists the tables and secrets that earlier stacks of the stage, a restore and commands have left, as CloudFormation names
 * them: a stack that is gone has no template.
 */
async function leftOf(region: string, stage: string): Promise<readonly RetainedResource[]> {
  const database = new DynamoDBClient({ region });
  const secretsClient = createSecretsClient({ region });
  const left: RetainedResource[] = [];
  try {
    for await (const { TableNames: names = [] } of paginateListTables({ client: database }, {}))
      for (const id of names)
        if (id.startsWith(`Inference-${stage}-${DATA}-`)) left.push({ type: TABLE, id });
    const filters = { Filters: [{ Key: 'name' as const, Values: [`${stage}/`] }] };
    // One of a stack is deleted with it, or retained by its template.
    for await (const { SecretList: list = [] } of paginateListSecrets({ client: secretsClient }, filters))
      for (const { Name: id = '', Tags: tags = [] } of list)
        if (!tags.some(({ Key: key }) => key === 'aws:cloudformation:stack-name'))
          left.push({ type: SECRET, id });
  } finally {
    database.destroy();
    secretsClient.destroy();
  }
  return left;
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

const HELP = `usage: npm run down -- --stage STAGE [--yes]

Deletes the stacks of a stage, after you type its name. It lists what they retain, with the price: tables and secrets, because they
contain money and keys, logs, and the bucket of builds.

  --stage STAGE  name of the deployment
  --yes          deletes without the question`;

async function down(args: readonly string[]): Promise<void> {
  const { values } = readOptions(args, {
    options: { stage: { type: 'string' }, yes: { type: 'boolean', default: false } },
  });
  const { stage } = values;
  if (stage === undefined) throw new Error('--stage is required');
  const { accountId, region } = await readCaller();
  const regions = [...new Set([region, EDGE_REGION])].map((name) => new StageStacks(name, stage));
  try {
    const found = inOrder((await Promise.all(regions.map((stacks) => stacks.list()))).flat());
    const ownerOf = ({ StackId: id }: Stack) =>
      regions.find((_, at) => id?.split(':')[3] === [region, EDGE_REGION][at]) ?? regions[0];
    const kept = [...(await leftOf(region, stage))];
    for (const stack of found)
      for (const each of (await ownerOf(stack)?.retained(stack.StackName ?? '')) ?? [])
        if (!kept.some(({ id }) => id === each.id)) kept.push(each);
    console.log(`account ${accountId}, ${region}`);
    for (const { StackName: name } of found) console.log(`deletes   ${name}`);
    if (found.length === 0) console.log(`deletes   nothing: there is no stack of ${stage}`);
    const logs = kept.filter(({ type }) => type === LOG_GROUP);
    const rest = kept.filter(({ type }) => type !== LOG_GROUP);
    for (const { type, id } of rest.sort((a, b) => (a.type < b.type ? -1 : 1)))
      console.log(`keeps     ${type} ${id}`);
    if (logs.length > 0)
      console.log(
        `keeps     ${logs.length} of ${LOG_GROUP}, such as ${logs[0]?.id}, whose lines expire by logRetentionDays`,
      );
    console.log(
      `keeps     the bootstrap of the CDK, what is in its bucket, and the policies Inference-${stage}-...`,
    );
    const [tables = 0, secrets = 0] = [TABLE, SECRET].map(
      (kind) => kept.filter(({ type }) => type === kind).length,
    );
    console.log(
      `costs     ${formatUsd(BigInt(secrets) * SECRET_USD)} USD a month for ${secrets} secrets, 0.25 USD a GB of ${tables} tables and 0.20 USD a GB of their recovery (us-east-1)`,
    );
    if (found.length > 0) await confirm(stage, values.yes);
    for (const stack of found) {
      if (stack.StackName?.endsWith(`-${DATA}`)) await emptyRecordings(stage, accountId, region);
      await ownerOf(stack)?.delete(stack);
      console.log(`deleted   ${stack.StackName}`);
    }
  } finally {
    for (const stacks of regions) stacks.close();
  }
}

const words = process.argv.slice(2);
if (words.includes('--help')) console.log(HELP);
else
  try {
    await down(words);
  } catch (failure) {
    console.error(`error: ${(failure as Error).message}\nnpm run down -- --help lists the options.`);
    process.exitCode = 1;
  }
