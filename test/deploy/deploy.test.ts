import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { outputName } from '../../lambdas/platform/contract/environment.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { TABLES, type Table } from '../../lambdas/platform/contract/tables.ts';
import { type PolicyKind, policyDocument } from '../../operator/commands/policies.ts';
import type { Restore } from '../../operator/restore/restore.ts';
import { RESTORED, type RestoredTables } from '../../operator/restore/tables.ts';
import { createLayouts } from '../../operator/service/layouts.ts';
import { startUpstreamProcess, type UpstreamProcess } from '../../tools/simulators/models/models-process.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { Access } from './access.ts';
import { Deployment } from './deployment.ts';
import { ACCOUNT, Emulator, REGION } from './emulator.ts';
import { OperatorCommands } from './operator-commands.ts';
import { PaidCalls } from './paid-calls.ts';
import { releaseFunction } from './release.ts';
import { RemovedBuild } from './removed-build.ts';
import { RunningWorkflow } from './running-workflow.ts';
import { readLastRelease, synthesizeVersion } from './versions/versions.ts';

/** Bundling, synthesis and three deployments, on a machine that does other things too. */
const DEPLOY_MS = 600_000;

/** A cold function is a process that starts; an operator's command is another. */
let upstream: UpstreamProcess;
let emulator: Emulator;
let deployment: Deployment;
let commands: OperatorCommands;
/** The values of the commands for the policies of the stage. */
let policies: Readonly<Record<string, string>>;
/** The folders of the assemblies of three versions. */
let assemblies: Readonly<Record<'released' | 'next' | 'current', string>>;
let inferenceUrl: string;
let platformUrl: string;
let account: string;
let key: string;
/** Made after the key pepper was rotated. */
let signedAnew: string;
let restored: RestoredTables = {};
/** The access that existed before the restore. */
let access: Access;

const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });
const bearer = () => ({ authorization: `Bearer ${key}` });
const userMessage = (content: string) => [{ role: 'user' as const, content }];
const openai = (apiKey = key) => new OpenAI({ baseURL: `${inferenceUrl}/v1`, apiKey, maxRetries: 0 });

beforeAll(async () => {
  upstream = await startUpstreamProcess(0, () => {});
  const python = process.env.EMULATOR_PYTHON ?? 'python3';
  emulator = await Emulator.start(python);
  deployment = new Deployment(emulator);
  commands = new OperatorCommands(emulator, python, deployment.stage);
  await deployment.bootstrap();
  const documentOf = (kind: PolicyKind) =>
    JSON.stringify(
      policyDocument(kind, { partition: 'aws', accountId: ACCOUNT, region: REGION, stage: deployment.stage }),
    );
  policies = {
    '<region>': REGION,
    '<account>': ACCOUNT,
    'file://boundary.json': documentOf('boundary'),
    'file://execution.json': documentOf('execution'),
  };
  await commands.run('aws iam create-policy ', policies);
  const thisVersion = synthesizeVersion(deployment.folder);
  const nextVersion = thisVersion.then(() => synthesizeVersion(deployment.folder, 'next-version'));
  const deployReleased = async () => {
    const assembly = await readLastRelease(deployment.folder, thisVersion);
    await deployment.deployAssembly(assembly);
    return assembly;
  };
  const [released, next, current] = await Promise.all([deployReleased(), nextVersion, thisVersion]);
  assemblies = { released, next, current };
  inferenceUrl = await deployment.apiUrl('inference');
  platformUrl = await deployment.apiUrl('platform');
}, DEPLOY_MS);

afterAll(async () => {
  deployment?.dispose();
  await emulator?.stop();
  await upstream?.stop();
});

/** The scheduled smoke test, as its rule starts it; what it found. */
async function runSmoke(): Promise<unknown> {
  const lambda = new LambdaClient(emulator.client);
  const name = `${deployment.stage}-inference-run-smoke`;
  const { Payload: payload } = await lambda.send(new InvokeCommand({ FunctionName: name }));
  lambda.destroy();
  return JSON.parse(Buffer.from(payload ?? []).toString());
}

/** Reads a path of the inference API with the key; resolves with the status. */
async function read(path: string): Promise<number> {
  const httpResponse = await get(`${inferenceUrl}${path}`, bearer());
  await httpResponse.arrayBuffer();
  return httpResponse.status;
}

/** Calls a model with a key; resolves with the status. */
async function post(path: string, apiKey: string, body: object): Promise<number> {
  const httpResponse = await fetch(`${inferenceUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await httpResponse.arrayBuffer();
  return httpResponse.status;
}

const chat = (apiKey: string) =>
  post('/v1/chat/completions', apiKey, {
    model: 'sim/chat',
    messages: userMessage('Repeat exactly: here'),
    max_tokens: 8,
  });

/** Deploys while one caller makes these calls in turn; resolves with what each returned. */
async function deployUnder<Result>(
  calls: readonly (() => Promise<Result>)[],
  deploy: () => Promise<unknown>,
): Promise<readonly Result[]> {
  const statuses: Result[] = [];
  let isDeploying = true;
  const caller = async () => {
    while (isDeploying) {
      for (const call of calls) statuses.push(await call());
      await sleep(100);
    }
  };
  const deployed = deploy().finally(() => {
    isDeploying = false;
  });
  await Promise.all([deployed, caller()]);
  return statuses;
}

/** The simulated models, their key in Secrets Manager as in AWS. */
async function applyCatalog(): Promise<string> {
  const secrets = new SecretsManagerClient(emulator.client);
  const name = `${deployment.stage}/providers/sim`;
  await secrets.send(new CreateSecretCommand({ Name: name, SecretString: '{"key":"sim-key"}' }));
  secrets.destroy();
  const catalog = readFileSync(
    join(import.meta.dirname, '..', '..', 'tools', 'local', 'seed', 'catalog.json'),
    'utf8',
  )
    .replaceAll(/\{(?:UPSTREAM|AWS)_URL\}/g, upstream.url)
    .replaceAll('env:SIM_KEY', `secretsmanager:${name}#key`);
  return deployment.applyCatalog(catalog);
}

/** Has the stage begin as one that an earlier release has written, whichever the last one is. */
async function beginUnfinished(): Promise<void> {
  const { CATALOGTABLE: table = '' } = await deployment.outputs('data');
  const client = new DynamoDBClient(emulator.client);
  await createLayouts({ client, table: () => table, servedRelease: async () => RELEASE }).beginUnfinished();
  client.destroy();
}

describe('a fresh deployment of the last release', () => {
  it('reports that it is unhealthy before it has a catalog', async () => {
    expect((await get(`${platformUrl}/health`)).status).toBe(503);
  });

  it('takes a catalog, an account, credit and a key from the operator’s command', async () => {
    await beginUnfinished();
    await applyCatalog();
    const created = await deployment.admin<{ account_id: string }>('account', 'create');
    account = created.account_id;
    const granted = await deployment.admin('credit', 'grant', '--account', account, '--amount', '5');
    expect(granted).toMatchObject({ account_id: account, balance: 5 });
    ({ key } = await deployment.admin<{ key: string }>('key', 'create', '--account', account));
    expect(key).toMatch(/^uis_/);
  });

  it('reports that it is healthy', async () => {
    // The function that found no catalog looks again after a moment.
    const health = () => get(`${platformUrl}/health`);
    const httpResponse = await until(health, ({ ok }) => ok);
    expect(await httpResponse.json()).toMatchObject({ status: 'ok', checks: { database: 'ok' } });
  });
});

describe('an update from a release to another version', () => {
  let paid: PaidCalls;
  const wallet = () => deployment.admin<{ balance: number }>('wallet', 'show', '--account', account);
  let before: number;
  const statuses: (number | string)[] = [];

  beforeAll(async () => {
    paid = await PaidCalls.create(deployment, inferenceUrl, account);
    ({ balance: before } = await wallet());
    await paid.repeat();
  });

  it.each<readonly [keyof typeof assemblies, readonly string[] | undefined]>([
    ['next', undefined],
    // The data stays as the later version has it: another stack may import what the release does not export.
    ['released', ['inference', 'platform', 'operations']],
    ['current', undefined],
  ])(
    'fails no paid call on the way to the %s one, which replays what the versions before have stored',
    async (version, stacks) => {
      const deploy = () => deployment.deployAssembly(assemblies[version], stacks);
      const answers = await deployUnder(paid.each, deploy);
      statuses.push(...answers);
      expect(answers.filter((status) => status !== 200)).toEqual([]);
      expect(await paid.repeat()).toEqual([]);
    },
    DEPLOY_MS,
  );

  it('charges each of these calls once', async () => {
    expect(statuses.length).toBeGreaterThan(20);
    const records = await paid.records();
    // Each version has made one call that was repeated.
    expect(records).toHaveLength(statuses.length + 4);
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['completed']));
    const spent = before - (await wallet()).balance;
    expect(records.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(spent, 9);
    expect(await deployment.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
  });
});

describe('an updated deployment', () => {
  it('contains every stack of the app', async () => {
    const names = ['data', 'inference', 'operations', 'platform'];
    expect(await deployment.stacks()).toEqual(names.map((name) => `Inference-${deployment.stage}-${name}`));
  });

  it('lists every route in its index', async () => {
    const index = (await (await get(`${platformUrl}/`)).json()) as { endpoints: { path: string }[] };
    expect(index.endpoints).toHaveLength(ROUTES.length);
  });

  it('serves the paths that are in a nested stack', async () => {
    const httpResponse = await get(`${platformUrl}/categories`);
    expect([httpResponse.status, await httpResponse.json()]).toEqual([
      200,
      { object: 'list', data: [], next_cursor: null },
    ]);
    expect((await fetch(`${platformUrl}/apps`, { method: 'PATCH' })).status).toBe(405);
  });

  it('responds to an unknown path in the envelope of the service', async () => {
    for (const url of [`${inferenceUrl}/v1/nothing`, `${platformUrl}/nothing/at/all`]) {
      const httpResponse = await get(url);
      expect(httpResponse.status).toBe(404);
      expect(await httpResponse.json()).toMatchObject({ error: { code: 'unknown_path' } });
      expect(httpResponse.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('returns 405 for a known path with another method', async () => {
    const httpResponse = await fetch(`${inferenceUrl}/v1/models`, { method: 'DELETE' });
    expect(httpResponse.status).toBe(405);
  });
});

describe('the deployed inference API', () => {
  it('lists the models to the official SDK', async () => {
    const ids = [];
    for await (const model of openai().models.list()) ids.push(model.id);
    expect(ids).toContain('sim/chat');
  });

  it('rejects a key that the service did not create', async () => {
    const call = openai('uis_nobody').chat.completions.create({
      model: 'sim/chat',
      messages: userMessage('Hi'),
    });
    await expect(call).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  it('returns a chat completion with its cost, and reads the provider’s secret in the function’s own role', async () => {
    const { data, response } = await openai()
      .chat.completions.create({ model: 'sim/chat', messages: userMessage('Repeat exactly: Grüße, 世界') })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('Grüße, 世界');
    expect(response.headers.get('x-route')).toBe('sim-chat');
    expect(Number(response.headers.get('x-cost-usd'))).toBeGreaterThan(0);
  });

  it('streams a chat completion chunk by chunk', async () => {
    const request = { model: 'sim/chat', messages: userMessage(`Repeat exactly: ${'and '.repeat(150)}`) };
    const startedMs = performance.now();
    await openai().chat.completions.create(request);
    const completeMs = performance.now() - startedMs;
    const stream = await openai().chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    const arrivalsMs: number[] = [];
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      arrivalsMs.push(performance.now());
      usage = chunk.usage ?? usage;
    }
    const tokens = usage?.completion_tokens ?? 0;
    expect(tokens).toBeGreaterThan(100);
    // The upstream takes as long for both; a response that was collected first would arrive all at once.
    expect((arrivalsMs.at(-1) ?? 0) - (arrivalsMs[0] ?? 0)).toBeGreaterThan(completeMs / 4);
  });

  it('replays a repeated call instead of billing it again', async () => {
    const send = () =>
      fetch(`${inferenceUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...bearer(), 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ model: 'sim/chat', messages: userMessage('Once.') }),
      });
    const first = await send();
    const second = await send();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.text()).toBe(await first.text());
  });

  it('lists the calls of a key with what they cost', async () => {
    const httpResponse = await get(`${inferenceUrl}/v1/usage`, bearer());
    const { data } = (await httpResponse.json()) as { data: { id: string; cost: number; status: string }[] };
    expect(data.filter(({ status }) => status === 'completed')).toHaveLength(4);
    const one = await get(`${inferenceUrl}/v1/usage/${data[0]?.id}`, bearer());
    expect(await one.json()).toMatchObject({ id: data[0]?.id });
  });

  it('shows a key its balance, and the ledger balances', async () => {
    const httpResponse = await get(`${platformUrl}/credits/${key}`, bearer());
    const { balance, held } = (await httpResponse.json()) as { balance: number; held: number };
    expect(held).toBe(0);
    expect(balance).toBeLessThan(5);
    expect(await deployment.admin('audit')).toMatchObject({ exact: true, balances: balance, drift: 0 });
  });
});

describe('the other kinds of call, deployed', () => {
  it('embed and draw', async () => {
    const { data: vectors } = await openai().embeddings.create({ model: 'sim/embed', input: ['one', 'two'] });
    expect(vectors.map(({ index }) => index)).toEqual([0, 1]);
    const { data: images = [] } = await openai().images.generate({
      model: 'sim/image',
      prompt: 'A fox.',
      n: 2,
      size: '512x512',
      response_format: 'b64_json',
    });
    const pngs = images.map(({ b64_json: image = '' }) => Buffer.from(image, 'base64'));
    expect(pngs.map((png) => png.toString('latin1', 1, 4))).toEqual(['PNG', 'PNG']);
  });

  it('speak, and write down what was spoken, settled by the workflow in its own roles', async () => {
    const spoken = await openai().audio.speech.create({
      model: 'sim/tts',
      voice: 'alloy',
      input: 'The quick brown fox jumps over the lazy dog.',
      response_format: 'wav',
    });
    const file = await toFile(Buffer.from(await spoken.arrayBuffer()), 'spoken.wav');
    const { data: transcript, response } = await openai()
      .audio.transcriptions.create({ model: 'sim/stt', file })
      .withResponse();
    expect(transcript.text).not.toBe('');
    const record = await get(`${inferenceUrl}/v1/usage/${response.headers.get('x-request-id')}`, bearer());
    expect(await record.json()).toMatchObject({ kind: 'audio', unit: 'second', status: 'completed' });
    const httpResponse = await get(`${platformUrl}/credits/${key}`, bearer());
    expect(await httpResponse.json()).toMatchObject({ held: 0 });
  });
});

describe('the smoke test of the deployment', () => {
  it('passes over HTTP, and takes back the credit that it did not spend', async () => {
    const addresses = ['--url', inferenceUrl, '--platform', platformUrl];
    const printed = await deployment.admin<{ passed: boolean; taken_back: number }>('smoke', ...addresses);
    expect(printed).toMatchObject({ passed: true, failed: [], dearest: { model: 'sim/image' } });
    expect(printed.taken_back).toBeLessThan(0.05);
    expect(await deployment.admin('audit')).toMatchObject({ exact: true, refunds: printed.taken_back });
  });
});

describe('the deployed maintenance jobs', () => {
  it('verify the ledger in the audit workflow, each in its own role', async () => {
    const workflow = await RunningWorkflow.start(emulator, deployment.stackName('inference'), 'audit-books');
    expect(await workflow.output()).toMatchObject({
      complete: true,
      balanced: true,
      // The one that was opened first, and that of the smoke test.
      accounts: 2,
      books: { exact: true, drift: '0' },
    });
  });
});

describe('the operator’s commands', () => {
  const restoredAt = new Date().toISOString();
  const secret = async (id: string) => {
    const secrets = new SecretsManagerClient(emulator.client);
    const { SecretString: text } = await secrets.send(new GetSecretValueCommand({ SecretId: id }));
    secrets.destroy();
    return text ?? '';
  };

  it('store a provider’s key, and another in its place', async () => {
    const name = `${deployment.stage}/providers/openai`;
    await commands.run('aws secretsmanager create-secret', { 'sk-...': 'sk-first' });
    expect(JSON.parse(await secret(name))).toEqual({ key: 'sk-first' });
    await commands.run(`aws secretsmanager put-secret-value --secret-id prod/`, { 'sk-...': 'sk-second' });
    expect(JSON.parse(await secret(name))).toEqual({ key: 'sk-second' });
  });

  it('rotate the key pepper, under which keys are signed on', async () => {
    const arn = (await deployment.outputs('data')).KEYPEPPERSECRET ?? '';
    const [shown] = await commands.run('aws secretsmanager get-secret-value', { '<arn>': arn });
    const { current } = JSON.parse((shown as { SecretString: string }).SecretString) as { current: string };
    const rotated = { current: randomBytes(32).toString('base64url'), previous: current };
    const file = join(deployment.folder, 'secret.json');
    writeFileSync(file, JSON.stringify(rotated));
    const blanks = { '<arn>': arn, 'secret.json': file };
    await commands.run('aws secretsmanager put-secret-value --secret-id <arn>', blanks);
    expect(JSON.parse(await secret(arn))).toEqual(rotated);
    ({ key: signedAnew } = await deployment.admin<{ key: string }>('key', 'create', '--account', account));
    expect((await get(`${inferenceUrl}/v1/usage`, bearer())).status).toBe(200);
  });

  it('start the audit again', async () => {
    const blanks = { '<region>': REGION, '<account>': ACCOUNT };
    const [started] = await commands.run('aws stepfunctions start-execution', blanks);
    expect(started).toMatchObject({ executionArn: expect.stringContaining('audit-books') });
  });

  it('close the service and bring every table back, with the object of a build that was removed', async () => {
    access = await Access.create(deployment, { inferenceUrl, platformUrl });
    const build = new RemovedBuild(emulator, await deployment.outputs('data'));
    await build.create('the bytes');
    await expect(build.read()).rejects.toMatchObject({ name: 'NoSuchKey' });
    const first = await deployment.admin<Restore>('restore', '--at', restoredAt);
    restored = first.restoredTables;
    expect(Object.keys(restored).toSorted()).toEqual(RESTORED.toSorted());
    expect(first.access).toMatchObject({ keys_revoked: 0, keys_rotated: 0, keys_limited: 0 });
    expect(first.builds).toEqual({ clean: 1, brought_back: 1, quarantined: 0, missing: [] });
    expect(await build.read()).toBe('the bytes');
    await deployment.admin('open');
  });

  it('take access away that the restored tables grant', () => access.takeAway());

  it('take it away from the restored tables too, if the restore is repeated', async () => {
    const second = await deployment.admin<Restore>('restore', '--at', restoredAt);
    expect(second.restoredTables).toEqual(restored);
    expect(second.access).toMatchObject({ keys_revoked: 1, keys_rotated: 1, keys_limited: 1 });
    expect(second.builds).toMatchObject({ clean: 1, brought_back: 0 });
  });

  it('bring tables back with what a restore by DynamoDB leaves out', async () => {
    const client = new DynamoDBClient(emulator.client);
    const tagsOf = async (TableName: string | undefined) => {
      const { Table: table } = await client.send(new DescribeTableCommand({ TableName }));
      const command = new ListTagsOfResourceCommand({ ResourceArn: table?.TableArn });
      const { Tags: tags = [] } = await client.send(command);
      return tags.filter(({ Key: name = '' }) => !name.startsWith('aws:'));
    };
    const outputs = await deployment.outputs('data');
    for (const name of RESTORED) {
      const spec: Table = TABLES[name];
      const TableName = restored[name]?.name;
      const { Table: table } = await client.send(new DescribeTableCommand({ TableName }));
      const { TimeToLiveDescription: expiry } = await client.send(
        new DescribeTimeToLiveCommand({ TableName }),
      );
      const { ContinuousBackupsDescription: backups } = await client.send(
        new DescribeContinuousBackupsCommand({ TableName }),
      );
      expect([name, table?.DeletionProtectionEnabled, expiry?.AttributeName]).toEqual([name, true, spec.ttl]);
      expect([name, table?.LatestStreamArn]).toEqual([name, restored[name]?.streamArn]);
      expect(restored[name]?.streamArn !== undefined).toBe(spec.stream === true);
      expect(backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('ENABLED');
      expect(table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(
        spec.indexes?.map((index) => index.name),
      );
      const tags = await tagsOf(outputs[outputName(spec.variable)]);
      expect([name, tags.length > 0, await tagsOf(TableName)]).toEqual([name, true, tags]);
    }
    client.destroy();
  });

  it('name options that the AWS CLI takes, where the emulator cannot do it', async () => {
    const blanks = { '<arn of the dead-letter queue>': `arn:aws:sqs:${REGION}:${ACCOUNT}:dead` };
    const parsed = ['--generate-cli-skeleton', 'output'];
    await commands.run('aws sqs start-message-move-task', blanks, ...parsed);
    await commands.run('aws bedrock list-foundation-models', {}, ...parsed);
    await commands.run('aws cloudwatch list-metrics', {}, ...parsed);
    await commands.run('aws cloudfront list-vpc-origins', {}, ...parsed);
    await commands.run('aws ec2 describe-availability-zones', {}, ...parsed);
    await commands.run('aws iam create-policy-version', policies);
    // The output of some has no valid example, so that only their options are read.
    await commands.run('aws ecs', {}, '--generate-cli-skeleton', 'input');
    await commands.run('aws cloudformation describe-stack-events', {}, '--generate-cli-skeleton', 'input');
  });
});

describe('an update of the deployment', () => {
  /** Every setting there is; the emulator has no certificate to serve a name with. */
  const settings = {
    logRetentionDays: 7,
    holdTtlSeconds: 1500,
    ipRequestsPerMinute: 500,
    // Two callers that wait for their responses never reach these limits, on a machine of any speed.
    requestsPerSecond: 10_000,
    recoveryDays: 14,
    alarmEmail: 'operators@example.com',
    tracing: true,
    providerSecrets: ['sim'],
    compute: 'fargate',
    hostTasks: { least: 2, most: 4 },
    lambdaConcurrency: 100_000,
    smoke: { everyMinutes: 60, models: ['sim/chat'] },
  };
  /** Those that callers of the APIs reach; the emulator runs neither CloudFront nor a container that was built here. */
  const stacks = ['data', 'inference', 'platform', 'operations'];
  const settled = () => ({ ...settings, restoredTables: restored });
  let books: unknown;
  /** The statuses of the calls during the change of the deployment. */
  let statuses: readonly (number | string)[] = [];

  beforeAll(async () => {
    books = await deployment.admin('audit');
    // The service is closed, which a function says itself: the gateway could call it.
    const closed = async () => {
      const body = (await (await access.chat('uis_nobody')).json()) as {
        readonly error: { readonly code: string };
      };
      return body.error.code;
    };
    const calls = [() => read('/v1/models'), closed];
    statuses = await deployUnder<number | string>(calls, () => deployment.deploy(settled(), stacks));
  }, DEPLOY_MS);

  it('responds to every call meanwhile, also if it moves the inference API to another host', () => {
    expect(statuses.length).toBeGreaterThan(10);
    // The view of a process may be 5 s old: until then a function looks for the key.
    const expected: readonly (number | string)[] = [200, 'maintenance', 'invalid_api_key'];
    expect(statuses.filter((status) => !expected.includes(status))).toEqual([]);
  });

  it('retains every row, and the keys that were signed before it, under either pepper', async () => {
    expect(await deployment.admin('audit')).toEqual(books);
    const usage = await get(`${inferenceUrl}/v1/usage`, bearer());
    expect(((await usage.json()) as { data: unknown[] }).data.length).toBeGreaterThan(3);
    // A function that still ran would learn of the new pepper within five minutes; an update starts new ones.
    const anew = await get(`${inferenceUrl}/v1/usage`, { authorization: `Bearer ${signedAnew}` });
    expect(anew.status).toBe(200);
  });

  it('rejects calls, payments and changes until it is opened, and credits the payment then, once', async () => {
    const payment = await access.paymentEvent(emulator);
    // The view of the last one ends last: then the others accept requests, so that no more calls fail than these.
    for (const send of [() => access.chat(key), () => access.createKey(), payment]) {
      const httpResponse = await send();
      expect([httpResponse.status, httpResponse.headers.get('retry-after')]).toEqual([503, '30']);
      expect(await httpResponse.json()).toMatchObject({ error: { code: 'maintenance' } });
    }
    expect(await deployment.admin('open')).toEqual({ closed: false });
    for (let deliveries = 0; deliveries < 2; deliveries += 1)
      expect((await until(payment, ({ status }) => status !== 503)).status).toBe(200);
    const wallet = await deployment.admin('wallet', 'show', '--account', access.account);
    expect(wallet).toMatchObject({ balance: 7 });
  });

  it('grants no access that was taken away after the restored time', async () => {
    expect(
      (
        await until(
          () => access.chat(key),
          ({ status }) => status !== 503,
        )
      ).status,
    ).toBe(200);
    expect(await access.statuses()).toEqual({
      revoked: 401,
      rotatedAway: 401,
      rotated: 200,
      limited: 403,
      signedOut: 401,
    });
  });

  it('serves at the same address from the restored tables, which record the costs of later calls', async () => {
    const { WALLETSTABLE: wallets } = await deployment.outputs('data');
    expect(wallets).toBe(restored.wallets?.name);
    const { choices } = await openai().chat.completions.create({
      model: 'sim/chat',
      messages: userMessage('Repeat exactly: still here'),
    });
    expect(choices[0]?.message.content).toBe('still here');
    expect(await deployment.admin('audit')).toMatchObject({ exact: true, drift: 0 });
  });

  it('takes a new catalog without a deployment', async () => {
    const { document } = await deployment.admin<{
      document: { models: { id: string; price: { output?: number } }[] };
    }>('catalog', 'show');
    for (const { price } of document.models) if (price.output !== undefined) price.output = 60;
    await deployment.applyCatalog(
      JSON.stringify(document),
      document.models.map(({ id }) => id),
    );
    const listed = async () => {
      const httpResponse = await get(`${inferenceUrl}/api/v1/models`);
      const { models } = (await httpResponse.json()) as { models: { output_price: number }[] };
      return models[0]?.output_price;
    };
    expect(await until(listed, (price) => price === 60)).toBe(60);
  });

  it('runs the smoke test in its own role, once its key exists', async () => {
    expect(await runSmoke()).toBeNull();
    const addresses = ['--url', inferenceUrl, '--platform', platformUrl];
    const smokeKey = await deployment.admin('smoke', 'key', ...addresses);
    expect(smokeKey).toMatchObject({ secret: `${deployment.stage}/smoke`, daily_usd: 0.05 });
    expect(await runSmoke()).toEqual({ passed: ['health', 'chat', 'chat stream'] });
    const again = await deployment.admin('smoke', 'key', ...addresses);
    expect(again.account_id).toBe(smokeKey.account_id);
    expect(await runSmoke()).toEqual({ passed: ['health', 'chat', 'chat stream'] });
    expect(await deployment.admin('audit')).toMatchObject({ exact: true, drift: 0 });
  });

  describe('a release whose paid calls fail', () => {
    const THROWS = `exports.handler = awslambda.streamifyResponse(async () => { throw new Error('planted'); });`;

    it('fails the smoke test', async () => {
      const name = `${deployment.stage}-inference-create-chat-completion`;
      await releaseFunction(emulator, deployment.stackName('inference'), name, THROWS);
      expect(await chat(key)).toBe(502);
      expect(await runSmoke()).toMatchObject({ errorMessage: 'the smoke test failed: chat, chat stream' });
    });

    it(
      'ends with a deployment of the version before, during which no other call fails',
      async () => {
        const embed = () => post('/v1/embeddings', key, { model: 'sim/embed', input: 'one' });
        const answers = await deployUnder([embed], () => deployment.deploy(settled(), ['inference']));
        expect(answers.length).toBeGreaterThan(10);
        expect(answers.filter((status) => status !== 200)).toEqual([]);
        expect(await chat(key)).toBe(200);
        expect(await runSmoke()).toEqual({ passed: ['health', 'chat', 'chat stream'] });
        expect(await deployment.admin('audit')).toMatchObject({ exact: true, drift: 0 });
      },
      DEPLOY_MS,
    );
  });

  describe('the next version, which adds an index', () => {
    const missing = 'the index by-account is missing';
    let before: unknown;

    it(
      'changes the tables of the stack alone, which the operator’s command and up tell',
      async () => {
        expect(await deployment.admin('tables', 'check')).toEqual({ different: [] });
        deployment.useVersion('next-version');
        await deployment.deploy(settled(), ['data']);
        expect(await deployment.failingAdmin('tables', 'check')).toEqual({
          different: [{ table: 'identities', name: restored.identities?.name, differences: [missing] }],
        });
        const [code, output] = await deployment.up();
        expect([code, output]).toEqual([1, expect.stringContaining(`: ${missing}\n`)]);
        expect(output).toContain('"tables return" in docs/operate/backup.md');
      },
      DEPLOY_MS,
    );

    it('finds everything in the tables of the stack after their return', async () => {
      before = await deployment.admin('audit');
      const returned = await deployment.admin<{ tables: string[]; changes: number }>('tables', 'return');
      expect(returned.tables.toSorted()).toEqual(RESTORED.toSorted());
      expect(returned.changes).toBeGreaterThan(10);
      expect(await deployment.admin('tables', 'return')).toMatchObject({ changes: 0 });
    });

    it(
      'serves from the tables of the stack with the index, as it served before',
      async () => {
        await deployment.deploy(settings, stacks);
        const { IDENTITIESTABLE: identities } = await deployment.outputs('data');
        expect(identities).not.toBe(restored.identities?.name);
        expect(await deployment.admin('tables', 'check')).toEqual({ different: [] });
        expect(await deployment.admin('audit')).toEqual(before);
        await deployment.admin('open');
        expect(
          await until(
            () => chat(key),
            (status) => status !== 503,
          ),
        ).toBe(200);
        expect(await access.statuses()).toEqual({
          revoked: 401,
          rotatedAway: 401,
          rotated: 200,
          limited: 403,
          signedOut: 401,
        });
        expect(await deployment.admin('audit')).toMatchObject({ exact: true, drift: 0 });
      },
      DEPLOY_MS,
    );

    it('gives way to this version after its layouts are finished, and not to one that reads older ones alone', async () => {
      expect(await deployment.admin('layout', 'show')).toMatchObject({
        in_use: {},
        after_finish: { keys: 2 },
      });
      deployment.useVersion('earlier-version');
      expect(await deployment.predeploy()).toEqual([0, '']);
      deployment.useVersion('next-version');
      expect(await deployment.admin('layout', 'finish')).toMatchObject({ in_use: { keys: 2 } });
      expect(await chat(key)).toBe(200);
      deployment.useVersion('earlier-version');
      const refused = [
        1,
        expect.stringMatching(/newer than version [\d.]+ \(keys\): use the version that is deployed/),
      ];
      expect(await deployment.predeploy()).toEqual(refused);
      deployment.useVersion();
      expect(await deployment.predeploy()).toEqual([0, '']);
      expect(await deployment.admin('audit')).toMatchObject({ exact: true, drift: 0 });
    });
  });

  afterAll(async () => {
    const client = new CloudFormationClient(emulator.client);
    const StackName = 'Inference-ring-data';
    await client.send(
      new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }),
    );
    client.destroy();
    await deployment.destroy();
  }, DEPLOY_MS);
});

describe('a destroyed deployment', () => {
  it('leaves its tables and secrets, and nothing else', async () => {
    expect(await deployment.stacks()).toEqual([]);
    const names = Object.values(restored).map(({ name }) => name);
    const remainingTables = await deployment.tables();
    expect(remainingTables.filter((table) => names.includes(table)).toSorted()).toEqual(names.toSorted());
    await deployment.deleteTables(names);
    expect(await deployment.tables()).toHaveLength(Object.keys(TABLES).length);
    expect((await get(`${platformUrl}/health`)).status).toBeGreaterThanOrEqual(400);
  });

  it('leaves no table after the last commands of the operator’s page, when every command of the page has run', async () => {
    // Each command is a start of the AWS CLI: one table shows them.
    const [first = '', ...otherTables] = await deployment.tables();
    await commands.run('aws dynamodb update-table', { '<table>': first });
    await commands.run('aws dynamodb delete-table', { '<table>': first });
    await deployment.deleteTables(otherTables);
    expect(await deployment.tables()).toEqual([]);
    expect(commands.remainingCommands).toEqual([]);
  });
});
