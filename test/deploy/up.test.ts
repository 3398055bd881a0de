import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LAYOUTS, type StageLayouts } from '../../lambdas/platform/contract/layouts.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { recordLayouts } from '../../lambdas/platform/testing/record-layouts.ts';
import { recordingsBucketName } from '../../lib/config/stage-names.ts';
import { policyDocument } from '../../operator/commands/policies.ts';
import type { AwsEndpoint } from '../../tools/local/aws/endpoint.ts';
import { compilePolicy } from '../../tools/local/aws/iam/policy.ts';
import { buildArchive } from '../../tools/release/archive/archive.ts';
import { startUpstreamProcess, type UpstreamProcess } from '../../tools/simulators/models/models-process.ts';
import { Deployment } from './deployment.ts';
import { emulatedAddress } from './emulated-addresses.ts';
import { ACCOUNT, Emulator, REGION } from './emulator.ts';
import { startTranscribe } from './simulated-transcribe.ts';
import { type UpResult, UpUser } from './up-process.ts';

jest.setTimeout(900_000);

const scope = { partition: 'aws', accountId: ACCOUNT, region: REGION, stage: 'ring' };

const CATALOG_TABLE = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/Inference-ring-data-Catalog*`;

let upstream: UpstreamProcess;
let transcribe: AwsEndpoint;
let emulator: Emulator;
let deployment: Deployment;
let user: UpUser;
let folder: string;
const args = ['--stage', 'ring'];
const outputs: string[] = [];

beforeAll(async () => {
  upstream = await startUpstreamProcess(0, () => {});
  const python = process.env.EMULATOR_PYTHON ?? 'python3';
  transcribe = await startTranscribe(() => emulator);
  const simulators = { SIMULATED_MODELS: upstream.url, SIMULATED_TRANSCRIBE: transcribe.url };
  emulator = await Emulator.start(python, simulators);
  deployment = new Deployment(emulator);
  folder = mkdtempSync(join(tmpdir(), 'up-'));
  const { file } = await buildArchive({ directory: folder });
  execFileSync('tar', ['xzf', file], { cwd: folder });
  user = new UpUser(emulator, python, file.replace(/\.tar\.gz$/, ''));
  await user.create({ up: policyDocument('up', scope), bootstrap: policyDocument('bootstrap', scope) });
});

afterAll(async () => {
  deployment?.dispose();
  await emulator?.stop();
  await Promise.all([upstream?.stop(), transcribe?.close()]);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Later runs deploy what the first one has synthesized. */
const again = () => [...args, '--yes', '--app', join('.build', 'up', 'ring', 'cdk.out')];

const up = async (...options: Parameters<UpUser['run']> extends [unknown, ...infer Rest] ? Rest : never) => {
  const result = await user.run('up', ...options);
  outputs.push(result.output);
  return result;
};

async function withDenied(
  action: string | readonly string[],
  resource: string,
  run: () => Promise<UpResult>,
): Promise<UpResult> {
  const end = await user.deny(action, resource);
  try {
    return await run();
  } finally {
    await end();
  }
}

async function itemsOf(variable: string): Promise<readonly Record<string, { S?: string; N?: string }>[]> {
  const client = new DynamoDBClient(emulator.client);
  const { [variable]: TableName } = await deployment.outputs('data');
  const items: Record<string, { S?: string; N?: string }>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName }))
    items.push(...(Items as Record<string, { S?: string }>[]));
  client.destroy();
  return items;
}

async function record(layouts: StageLayouts): Promise<void> {
  const client = new DynamoDBClient(emulator.client);
  const { CATALOGTABLE: table = '' } = await deployment.outputs('data');
  await recordLayouts(client, table, layouts);
  client.destroy();
}

async function buckets(): Promise<readonly string[]> {
  const client = new S3Client({ ...emulator.client, forcePathStyle: true });
  const { Buckets: list = [] } = await client.send(new ListBucketsCommand({}));
  client.destroy();
  return list.map(({ Name = '' }) => Name);
}

const RECORDINGS = recordingsBucketName('ring', ACCOUNT, REGION);

async function leaveRecording(): Promise<void> {
  const client = new S3Client({ ...emulator.client, forcePathStyle: true });
  await client.send(new PutObjectCommand({ Bucket: RECORDINGS, Key: 'a/audio.wav', Body: 'sound' }));
  client.destroy();
}

/** The accounts with credit, the live keys and the first credits of the stage. */
async function stateOfStage() {
  const entries = (await itemsOf('ACCOUNTSTABLE')).map(({ item }) => item?.S ?? '');
  const keys = await itemsOf('KEYSTABLE');
  return {
    firstCredits: entries.filter((item) => item === 'top_up#first-credit').length,
    firstKeys: keys
      .filter(({ name }) => name?.S?.startsWith('first key') === true)
      .map(({ name }) => name?.S),
    identities: (await itemsOf('IDENTITIESTABLE')).length,
  };
}

async function firstKey(): Promise<string> {
  const client = new SecretsManagerClient(emulator.client);
  const { SecretString: key = '' } = await client.send(
    new GetSecretValueCommand({ SecretId: 'ring/first-key' }),
  );
  client.destroy();
  return key;
}

/** Sends the command that `up` printed. */
async function callAsPrinted(output: string, key: string): Promise<Response> {
  const [, url = '', body = ''] = /curl (\S+) .* -d '([^']*)'/.exec(output) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(emulatedAddress(url, emulator.url), { method: 'POST', headers, body });
}

describe('up, as a user who has the printed policies', () => {
  it('deploys nothing without an answer to its one question', async () => {
    const { code, output } = await up([...args]);
    expect([code, output]).toEqual([1, expect.stringContaining('add --yes')]);
    expect(await deployment.stacks()).toEqual([]);
  });

  it('leaves nothing of a data stack that cannot be created', async () => {
    const end = emulator.failSecrets();
    const { code, output } = await up([...args, '--yes']);
    end();
    expect([code, output]).toEqual([1, expect.stringContaining('planted failure')]);
    expect(output).toMatch(/Inference-ring-data .*ROLLBACK_COMPLETE/);
    expect(await deployment.tables()).toEqual([]);
    expect(await buckets()).toEqual([expect.stringMatching(/^cdk-/)]);
  });

  it('asks once on a terminal, and ends in the middle of the deployment when that is closed', async () => {
    const killAt = /Inference-ring-inference: creating CloudFormation changeset/;
    const { output } = await up([...args], {
      answer: 'yes',
      killAt,
    });
    expect(output.split('(yes/no)')).toHaveLength(2);
    expect(output).toContain('deleted what could not be created before: Inference-ring-data');
    expect(output).toContain('roles, which only AWS services can assume');
    expect(output).toMatch(killAt);
    expect(output).not.toContain('account     acc_');
  });

  it('stops without credentials, and with those that AWS does not know', async () => {
    for (const id of ['', 'AKIAUNKNOWN000000000']) {
      const keys = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: id };
      const { code, output } = await up(again(), { keys });
      expect([code, output]).toEqual([1, expect.stringMatching(/error: credentials: .*sign in/)]);
    }
  });

  it('names the quotas that it may not read, and stops if it cannot read the layouts of a stage', async () => {
    const denied = ['iam:GetAccountSummary', 'cloudformation:DescribeStacks'];
    const { code, output } = await withDenied(denied, '*', () => up(again()));
    expect([code, output]).toEqual([1, expect.stringContaining('error: layouts')]);
    expect(output).toMatch(/unknown {2}IAM: roles of the account .*AccessDenied/);
  });

  it.each([
    ['cloudformation', 'sts:AssumeRole', '*', 'error: deployment'],
    ['the layouts', 'dynamodb:*', CATALOG_TABLE, 'error: layouts'],
    ['the catalog', ['dynamodb:PutItem', 'dynamodb:TransactWriteItems'], CATALOG_TABLE, 'error: catalog'],
    [
      'the account',
      'dynamodb:*',
      `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/Inference-ring-data-Identities*`,
      'error: account',
    ],
    ['the key', 'secretsmanager:CreateSecret', '*', 'error: key'],
    ['the audit', 'states:StartExecution', '*', 'error: audit'],
  ])('stops at %s if it is denied, and says so', async (_, action, resource, expected) => {
    const { code, output } = await withDenied(action, resource, () => up(again()));
    expect([code, output.slice(-2_000)]).toEqual([1, expect.stringContaining(expected)]);
  });

  it('leaves one account, one credit and one key after all of these failures', async () => {
    expect(await stateOfStage()).toEqual({ firstCredits: 1, firstKeys: ['first key'], identities: 1 });
  });

  it('ends with a call that works, and names the models that it left out', async () => {
    const { code, output } = await up(again());
    expect([code, output.slice(-3_000)]).toEqual([0, expect.stringContaining('ready')]);
    expect(output).toMatch(/left out: anthropic\/claude-sonnet-5\.5: .*playground of the Bedrock console/);
    expect(output).toMatch(/left out: amazon\.nova-reel-v1:1: .* it returns video/);
    for (const kind of ['chat', 'embeddings', 'image', 'speech', 'transcription'])
      expect(output).toMatch(new RegExp(`^ok +${kind} `, 'm'));
    expect(output).toMatch(/(everything works|works, \d+ skipped: .+)$/m);
    expect(output).toContain('warning: nobody receives critical alarms');
    // The account has no network, so that the delivery is attempted and the receiver not reached.
    expect(output).toMatch(/ok +webhook .* answered nothing/);
    const httpResponse = await callAsPrinted(output, await firstKey());
    expect([httpResponse.status, await httpResponse.json()]).toEqual([200, expect.anything()]);
    expect(Number(httpResponse.headers.get('x-cost-usd'))).toBeGreaterThan(0);
    const audit = await deployment.admin('audit');
    expect(audit).toMatchObject({ exact: true, drift: 0 });
  });

  it('changes nothing in a second run, and prints the key in neither run', async () => {
    const { code, output } = await up(again());
    expect(code).toBe(0);
    expect(output).toContain('given by an earlier run');
    expect(await stateOfStage()).toEqual({ firstCredits: 1, firstKeys: ['first key'], identities: 1 });
    for (const each of outputs) expect(each).not.toMatch(/uis_/);
  });

  it('deploys nothing over data that a later version has written', async () => {
    const deploying = /Inference-ring-\w+: deploying/;
    await record({ keys: LAYOUTS.keys.reads + 1 });
    const { code, output } = await up(again());
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/error: layouts: .*newer than version [\d.]+ \(keys\)/),
    ]);
    expect(output).not.toMatch(deploying);
    await record({});
    const readable = await up(again());
    expect([readable.code, readable.output]).toEqual([0, expect.stringMatching(deploying)]);
  });
});

describe('the command down', () => {
  it('deletes nothing without the name of the stage', async () => {
    expect((await user.run('down', ['--yes'])).code).toBe(1);
    expect((await user.run('down', ['--stage', 'ring'])).output).toContain('add --yes');
    expect(await deployment.stacks()).toHaveLength(4);
  });

  it('stops if it is denied, and deletes the rest when it is run again', async () => {
    const stopped = await withDenied(
      'cloudformation:DeleteStack',
      `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/Inference-ring-inference/*`,
      () => user.run('down', ['--stage', 'ring', '--yes']),
    );
    expect(stopped.code).toBe(1);
    expect(await deployment.stacks()).toEqual(['Inference-ring-data', 'Inference-ring-inference']);
    // CloudFormation deletes no bucket with an object.
    await leaveRecording();
    const { code, output } = await user.run('down', ['--stage', 'ring', '--yes']);
    expect([code, output]).toEqual([0, expect.stringContaining('deleted   Inference-ring-data')]);
    expect(await deployment.stacks()).toEqual([]);
    expect(await buckets()).not.toContain(RECORDINGS);
    const tables = await deployment.tables();
    expect(tables).toHaveLength(Object.keys(TABLES).length);
    const bucket = (await buckets()).find((name) => name.startsWith('inference-ring-data-'));
    const kept = [
      ...tables.map((table) => `AWS::DynamoDB::GlobalTable ${table}`),
      `AWS::S3::Bucket ${bucket}`,
      'AWS::SecretsManager::Secret ring/first-key',
    ];
    for (const each of kept) expect(output).toContain(`keeps     ${each}\n`);
    expect(output.match(/keeps {5}AWS::SecretsManager::Secret arn:/g)).toHaveLength(5);
    // The roles of the stacks that the first run deleted are in its list.
    expect(stopped.output).toContain(
      'keeps     AWS::IAM::Role Inference-ring-inference-ApiRestCloudWatchRole',
    );
    expect((await user.run('down', ['--stage', 'ring', '--yes'])).output).toContain(
      'there is no stack of ring',
    );
  });
});

describe('up, after down', () => {
  it('deploys the stage anew, next to what down has kept', async () => {
    const { code, output } = await up(again());
    expect([code, output.slice(-3_000)]).toEqual([0, expect.stringContaining('ready')]);
    expect(await deployment.tables()).toHaveLength(2 * Object.keys(TABLES).length);
    const httpResponse = await callAsPrinted(output, await firstKey());
    expect([httpResponse.status, await httpResponse.json()]).toEqual([200, expect.anything()]);
  });
});

describe('the policy of up', () => {
  /** Actions that only some configurations or failures need. */
  const RARE = [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'ec2:DescribeAvailabilityZones',
    // The emulator checks no right for it.
    'lambda:GetAccountSettings',
    'servicequotas:GetAWSDefaultServiceQuota',
    'sts:AssumeRole',
  ];

  it('allows each request of up and down, and no action that none of them needs', () => {
    const requests = readFileSync(emulator.allowedRequests, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, string]);
    const { Statement: statements } = policyDocument('up', scope);
    const bootstrap = policyDocument('bootstrap', scope).Statement;
    const policy = compilePolicy([...statements, ...bootstrap]);
    const denied = requests.filter(([action, resource]) => policy(action, resource) !== 'allowed');
    expect(denied.filter(([action]) => action !== 'sts:GetCallerIdentity')).toEqual([]);
    const unused = statements
      .flatMap(({ Action }) => Action)
      .filter((action) => {
        const rest = statements.map((each) => ({
          ...each,
          Action: each.Action.filter((name) => name !== action),
        }));
        const without = compilePolicy(rest.filter(({ Action }) => Action.length > 0));
        return !requests.some(([name, resource]) => name === action && without(name, resource) !== 'allowed');
      });
    expect([...new Set(unused)].filter((action) => !RARE.includes(action))).toEqual([]);
  });
});
