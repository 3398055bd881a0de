import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { wireServer } from '../../lambdas/platform/testing/connections/wire-server.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { COMMANDS } from '../commands/commands.ts';
import type { SynthesizedCounts } from '../deployment/assembly.ts';
import type { AccountState } from './account.ts';
import { checkAccount, hostZones } from './checks.ts';
import { rowsOf } from './needs.ts';

const LOAD = { calls: 10, seconds: 10 };

const of = (value: number) => ({ value });
const USUAL: AccountState = {
  lambdaConcurrency: of(1_000),
  roles: { granted: of(1_000), present: of(20) },
  vpcs: { granted: of(5), present: of(1) },
  stageStacks: [],
};
const SYNTHESIZED: SynthesizedCounts = {
  roles: 90,
  resources: new Map([['Inference-prod-platform', 417]]),
};

const quotaRows = (
  state: Partial<AccountState>,
  { load = LOAD, settings = {}, synthesized = SYNTHESIZED } = {},
) =>
  new Map(
    rowsOf({ ...USUAL, ...state }, load, parseConfig(settings), synthesized).map((row) => [row.quota, row]),
  );

describe('the required quota of a deployment', () => {
  it('fits into a usual account', () => {
    expect([...quotaRows({}).values()].map(({ enough }) => enough)).toEqual([true, true, true]);
  });

  it('exceeds a new account, which may have ten executions, without stopping a deployment', () => {
    const row = quotaRows({ lambdaConcurrency: of(10) }).get('Lambda: concurrent executions');
    expect(row).toMatchObject({ needed: 200, granted: { value: 10 }, enough: false, isRequired: false });
  });

  it('grows with calls and with their length', () => {
    const needed = (calls: number, seconds: number) =>
      quotaRows({}, { load: { calls, seconds } }).get('Lambda: concurrent executions')?.needed;
    expect([needed(1, 10), needed(10, 60), needed(100, 10)]).toEqual([110, 700, 1_100]);
  });

  it('adds the roles of the templates to the existing ones, until the stage is deployed', () => {
    const roles = { granted: of(1_000), present: of(911) };
    const name = 'IAM: roles of the account';
    expect(quotaRows({ roles }).get(name)).toMatchObject({ needed: 1_001, enough: false, isRequired: true });
    expect(quotaRows({ roles, stageStacks: ['Inference-prod-data'] }).get(name)).toMatchObject({
      needed: 911,
      enough: true,
    });
  });

  it('counts the resources of each template, of which a stack may have 500', () => {
    const row = (count: number) => {
      const synthesized = { roles: 1, resources: new Map([['Inference-prod-platform', count]]) };
      return quotaRows({}, { synthesized }).get('CloudFormation: resources of Inference-prod-platform');
    };
    expect(row(500)).toMatchObject({ needed: 500, enough: true, isRequired: true });
    expect(row(501)).toMatchObject({ needed: 501, enough: false, isRequired: true });
  });

  it('includes a network for a host on Fargate, until its stack is deployed', () => {
    const vpcs = { granted: of(5), present: of(5) };
    const settings = { compute: 'fargate' };
    const name = 'VPC: networks of the region';
    expect(quotaRows({ vpcs }, { settings }).get(name)).toMatchObject({ needed: 6, enough: false });
    const stageStacks = ['Inference-prod-ingress'];
    expect(quotaRows({ vpcs, stageStacks }, { settings }).get(name)).toMatchObject({ enough: true });
    expect(quotaRows({ vpcs }).has(name)).toBe(false);
  });

  it('appears as unknown if AWS does not return it', () => {
    const roles = { granted: { unread: 'AccessDeniedException' }, present: of(20) };
    const row = quotaRows({ roles }).get('IAM: roles of the account');
    expect(row).toMatchObject({ needed: 110, enough: undefined });
  });
});

/** The ids of the zones a, b and so on of the region. */
const ZONES = ['usw1-az2', 'usw1-az1', 'usw1-az3'];
let zoneIds: readonly string[] = ZONES;

/** Responses of the services that answer in XML (API references of IAM, STS and EC2). */
const XML: Readonly<Record<string, string>> = {
  GetAccountSummary:
    '<R><GetAccountSummaryResult><SummaryMap><entry><key>Roles</key><value>20</value></entry><entry><key>RolesQuota</key><value>1000</value></entry></SummaryMap></GetAccountSummaryResult></R>',
  GetCallerIdentity:
    '<R><GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws:iam::123456789012:user/o</Arn></GetCallerIdentityResult></R>',
  get DescribeAvailabilityZones() {
    const items = zoneIds.map(
      (id, at) => `<item><zoneName>us-west-1${'abcdef'[at]}</zoneName><zoneId>${id}</zoneId></item>`,
    );
    return `<R><availabilityZoneInfo>${items.join('')}</availabilityZoneInfo></R>`;
  },
  DescribeVpcs: '<R><vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet></R>',
};

const state = (status: string, agreement = 'AVAILABLE') => ({
  agreementAvailability: { status: agreement },
  authorizationStatus: 'AUTHORIZED',
  entitlementAvailability: status,
  regionAvailability: 'AVAILABLE',
});

describe('quotas of an account, as AWS shows them', () => {
  const aws = wireServer();
  const variables = { ...process.env };
  /** An assembly, and the settings of hosts on Fargate. */
  const folder = mkdtempSync(join(tmpdir(), 'quotas-'));
  /** The response of each operation. A number is a status with an error of that name. */
  const responses = new Map<string, readonly [number, object]>();
  /** No operation but that of the caller's identity is allowed. */
  let isDenied = false;

  beforeAll(() => {
    aws.respond = (response, { path, headers, body }) => {
      if (isDenied && !body.includes('Action=GetCallerIdentity')) {
        response.writeHead(403, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(JSON.stringify({ __type: 'AccessDeniedException' }));
        return;
      }
      if (body.startsWith('Action=') || body.includes('&Action=')) {
        const action = /Action=(\w+)/.exec(body)?.[1] ?? '';
        response.setHeader('content-type', 'text/xml');
        response.end(XML[action] ?? '<R><DescribeStacksResult><Stacks></Stacks></DescribeStacksResult></R>');
        return;
      }
      const target = String(headers['x-amz-target'] ?? path);
      const code = /"QuotaCode":"([^"]+)"/.exec(body)?.[1];
      const [status, responseBody] = responses.get(`${target} ${code}`) ??
        responses.get(target) ?? [404, { __type: 'Unknown' }];
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(responseBody));
    };
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: aws.origin,
      AWS_ACCESS_KEY_ID: 'operator',
      AWS_SECRET_ACCESS_KEY: 'operator',
      AWS_REGION: 'eu-central-1',
    });
    responses.set('/2016-08-19/account-settings', [200, { AccountLimit: { ConcurrentExecutions: 10 } }]);
    responses.set('ServiceQuotasV20190624.GetServiceQuota', [200, { Quota: { Value: 5 } }]);
    const resources = { Role: { Type: 'AWS::IAM::Role' }, Table: { Type: 'AWS::DynamoDB::GlobalTable' } };
    writeFileSync(
      join(folder, 'Inference-prod-data.template.json'),
      JSON.stringify({ Resources: resources }),
    );
    writeFileSync(join(folder, 'config.json'), '{"compute": "fargate"}');
  });
  afterEach(() => {
    isDenied = false;
    responses.delete('ServiceQuotasV20190624.GetServiceQuota L-F678F1CE');
  });
  afterAll(() => {
    process.env = variables;
    rmSync(folder, { recursive: true });
  });

  const run = async (...args: readonly string[]) => {
    const outcome = await COMMANDS.quotas?.alone?.([...args, '--app', folder], 'prod');
    if (outcome === undefined) throw new Error('there is no such command');
    return outcome as typeof outcome & { output: { quotas: readonly Record<string, unknown>[] } };
  };

  it('cause exit code 1 if one of them is too low', async () => {
    const { output, exitCode, text } = await run();
    expect(exitCode).toBe(1);
    expect(output.quotas.filter(({ enough }) => enough === false)).toMatchObject([
      { quota: 'Lambda: concurrent executions', needed: 200, granted: 10 },
    ]);
    expect(output.quotas.filter(({ enough }) => enough === true)).toMatchObject([
      { quota: 'IAM: roles of the account', needed: 21, granted: 1_000 },
      { quota: 'CloudFormation: resources of Inference-prod-data', needed: 2, granted: 500 },
    ]);
    expect(text).toContain('too few');
    expect((await run('--calls', '0.1', '--seconds', '1')).exitCode).toBe(1);
  });

  it('cause exit code 1 if none can be read', async () => {
    isDenied = true;
    const { output, exitCode } = await run();
    const read = output.quotas.filter(({ enough }) => enough !== null);
    expect(read).toMatchObject([{ quota: 'CloudFormation: resources of Inference-prod-data' }]);
    expect(exitCode).toBe(1);
  });

  it('default to AWS’s value if the account has none, and remain unknown if the operator lacks access', async () => {
    process.env.CONFIG = join(folder, 'config.json');
    const error = (type: string): readonly [number, object] => [400, { __type: type }];
    const code = 'L-F678F1CE';
    const networks = async () => {
      const { output } = await run();
      return output.quotas.find(({ quota }) => quota === 'VPC: networks of the region');
    };
    try {
      responses.set(`ServiceQuotasV20190624.GetServiceQuota ${code}`, error('NoSuchResourceException'));
      responses.set('ServiceQuotasV20190624.GetAWSDefaultServiceQuota', [200, { Quota: { Value: 6 } }]);
      expect(await networks()).toMatchObject({ granted: 6, needed: 2, enough: true });
      responses.set(`ServiceQuotasV20190624.GetServiceQuota ${code}`, error('AccessDeniedException'));
      expect(await networks()).toMatchObject({
        granted: null,
        enough: null,
        unread: 'AccessDeniedException',
      });
    } finally {
      delete process.env.CONFIG;
    }
  });

  it('fail for a folder without templates', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'quotas-'));
    await expect(COMMANDS.quotas?.alone?.(['--app', empty], 'prod')).rejects.toThrow('has no templates');
    rmSync(empty, { recursive: true });
  });

  it('come with the bootstrap and the models that the account may not call yet', async () => {
    const path = (model: string) => `/foundation-model-availability/${encodeURIComponent(model)}`;
    responses.set(path('amazon.nova-micro-v1:0'), [200, state('AVAILABLE')]);
    responses.set(path('anthropic.claude-haiku-5-5'), [200, state('AVAILABLE', 'NOT_AVAILABLE')]);
    const { output } = await run();
    const { checks } = output as unknown as { readonly checks: readonly Record<string, string>[] };
    expect(checks).toContainEqual({
      check: 'AWS credentials',
      state: 'ok',
      note: 'account 123456789012 in eu-central-1 as arn:aws:iam::123456789012:user/o',
    });
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'CDK bootstrap in eu-central-1', state: 'open' }),
    );
    const models = checks.filter(({ check, state: each }) => check === 'Model access' && each === 'open');
    expect(models.map(({ note }) => note?.split(':')[0])).toEqual(['anthropic/claude-haiku-5.5']);
    expect(models[0]?.note).toContain('playground of the Bedrock console in us-east-1');
  });

  it('include tasks, networks and zones if the settings have hosts on Fargate', async () => {
    const checks = await checkAccount(parseConfig({ compute: 'fargate' }), 'catalogs/bedrock.json');
    expect(checks).toContainEqual({
      check: 'Zones of the host',
      state: 'missing',
      note: 'CloudFront reaches no origin in us-west-1a: set availabilityZones to two of us-west-1b, us-west-1c',
    });
    const zones = ['us-west-1b', 'us-west-1c'];
    const config = parseConfig({ compute: 'fargate', availabilityZones: zones });
    expect(await checkAccount(config, 'catalogs/bedrock.json')).toContainEqual({
      check: 'Zones of the host',
      state: 'ok',
      note: zones.join(', '),
    });
  });

  it.each(['use1-az3', 'usw1-az2', 'apne1-az3', 'cac1-az3'])(
    'name the zones of hosts by what is behind the names, without %s',
    async (excluded) => {
      const fargate = parseConfig({ compute: 'fargate' });
      zoneIds = ['x-az1', excluded, 'x-az2', 'x-az3'];
      try {
        expect(await hostZones(fargate)).toEqual(['us-west-1a', 'us-west-1c']);
        zoneIds = ['x-az1', excluded];
        await expect(hostZones(fargate)).rejects.toThrow('fewer than two zones');
        const named = parseConfig({ ingress: 'fargate', availabilityZones: ['us-west-1a', 'us-west-1b'] });
        expect([await hostZones(named), await hostZones(parseConfig({}))]).toEqual([undefined, undefined]);
      } finally {
        zoneIds = ZONES;
      }
    },
  );

  it('remain unread for the local service', async () => {
    const outcome = await COMMANDS.quotas?.alone?.([]);
    expect(outcome).toMatchObject({
      exitCode: 1,
      output: { quotas: expect.stringContaining('no AWS account') },
    });
  });

  it('reject a load that is not a number', () => {
    expect(() => COMMANDS.quotas?.alone?.(['--calls', 'many'], 'prod')).toThrow('--calls');
  });
});
