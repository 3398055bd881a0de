import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { wireServer } from '../../lambdas/inference/testing/providers/wire-server.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { COMMANDS } from '../commands.ts';
import type { AccountQuotas, AccountResources } from './account.ts';
import { checkAccount } from './checks.ts';
import { rowsOf } from './needs.ts';

const LOAD = { calls: 10, seconds: 10, requests: 1_000 };

const of = (value: number) => ({ value });
const ENOUGH: AccountQuotas = {
  lambdaConcurrency: of(1_000),
  gatewayRate: of(10_000),
  gatewayBurst: of(5_000),
  integrationTimeoutMs: of(29_000),
  tables: of(2_500),
  tableWrites: of(40_000),
  webAcls: of(100),
  stacks: of(2_000),
  roles: of(1_000),
  fargateVcpus: of(6),
  vpcs: of(5),
};
const EMPTY: AccountResources = {
  tables: of(0),
  webAcls: of(0),
  stacks: of(0),
  roles: of(0),
  vpcs: of(1),
  stageStacks: undefined,
};

const quotaRows = (
  granted: Partial<AccountQuotas>,
  present: Partial<AccountResources> = {},
  load = LOAD,
  settings: object = {},
) =>
  new Map(
    rowsOf({ ...ENOUGH, ...granted }, { ...EMPTY, ...present }, load, parseConfig(settings)).map((row) => [
      row.quota,
      row,
    ]),
  );

describe('the required quota of a deployment', () => {
  it('fits into a usual account', () => {
    expect([...quotaRows({}).values()].map(({ enough }) => enough)).toEqual(Array(9).fill(true));
  });

  it('exceeds a new account, which may have ten executions', () => {
    const row = quotaRows({ lambdaConcurrency: of(10) }).get('Lambda: concurrent executions');
    expect(row).toMatchObject({ needed: 200, granted: { value: 10 }, enough: false });
  });

  it('grows with calls and with their length', () => {
    const needed = (calls: number, seconds: number) =>
      quotaRows({}, {}, { ...LOAD, calls, seconds }).get('Lambda: concurrent executions')?.needed;
    expect([needed(1, 10), needed(10, 60), needed(100, 10)]).toEqual([110, 700, 1_100]);
  });

  it('adds the tables of a stage to the existing ones, until the stage is deployed', () => {
    const tables = Object.keys(TABLES).length;
    const present = { tables: of(40) };
    expect(quotaRows({}, present).get('DynamoDB: tables')?.needed).toBe(40 + tables);
    const deployed = { ...present, stageStacks: new Map([['Inference-prod-platform', 417]]) };
    expect(quotaRows({}, deployed).get('DynamoDB: tables')?.needed).toBe(40);
    expect(quotaRows({}, deployed).get('CloudFormation: resources of Inference-prod-platform')).toMatchObject(
      {
        needed: 417,
        granted: { value: 500 },
        enough: true,
      },
    );
  });

  it('counts the tasks of Fargate twice: a deployment starts the new ones next to the old ones', () => {
    const rows = quotaRows({}, {}, LOAD, { compute: 'fargate', hostTasks: { least: 2, most: 4 } });
    expect(rows.get('Fargate: On-Demand vCPUs')).toMatchObject({
      needed: 8,
      enough: false,
      isRequired: false,
    });
    expect(rows.get('VPC: networks of the region')).toMatchObject({ needed: 2, enough: true });
    expect(quotaRows({}).has('Fargate: On-Demand vCPUs')).toBe(false);
  });

  it('remains unknown if AWS does not show it', () => {
    const row = quotaRows({ webAcls: { unread: 'AccessDeniedException' } }).get('WAF: regional web ACLs');
    expect(row).toMatchObject({ needed: 1, enough: undefined });
  });
});

/** Responses of the services that answer in XML (API references of IAM, STS and EC2). */
const XML: Readonly<Record<string, string>> = {
  GetAccountSummary:
    '<R><GetAccountSummaryResult><SummaryMap><entry><key>Roles</key><value>20</value></entry><entry><key>RolesQuota</key><value>1000</value></entry></SummaryMap></GetAccountSummaryResult></R>',
  GetCallerIdentity:
    '<R><GetCallerIdentityResult><Account>123456789012</Account><Arn>arn:aws:iam::123456789012:user/o</Arn></GetCallerIdentityResult></R>',
  DescribeAvailabilityZones:
    '<R><availabilityZoneInfo><item><zoneName>us-west-1a</zoneName><zoneId>usw1-az2</zoneId></item><item><zoneName>us-west-1b</zoneName><zoneId>usw1-az1</zoneId></item><item><zoneName>us-west-1c</zoneName><zoneId>usw1-az3</zoneId></item></availabilityZoneInfo></R>',
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
    responses.set('/account', [200, { throttleSettings: { rateLimit: 10_000, burstLimit: 5_000 } }]);
    responses.set('DynamoDB_20120810.ListTables', [200, { TableNames: ['other'] }]);
    responses.set('AWSWAF_20190729.ListWebACLs', [200, { WebACLs: [{}, {}] }]);
    responses.set('ServiceQuotasV20190624.GetServiceQuota', [200, { Quota: { Value: 29_000 } }]);
  });
  afterEach(() => {
    isDenied = false;
    responses.delete('ServiceQuotasV20190624.GetServiceQuota L-2EC3DE7B');
  });
  afterAll(() => {
    process.env = variables;
  });

  const run = async (...args: readonly string[]) => {
    const outcome = await COMMANDS.quotas?.alone?.(args, 'prod');
    if (outcome === undefined) throw new Error('there is no such command');
    return outcome as typeof outcome & { output: { quotas: readonly Record<string, unknown>[] } };
  };

  it('cause exit code 1 if one of them is too low', async () => {
    const { output, exitCode, text } = await run();
    expect(exitCode).toBe(1);
    expect(output.quotas.filter(({ enough }) => enough === false)).toMatchObject([
      { quota: 'Lambda: concurrent executions', needed: 200, granted: 10 },
    ]);
    expect(output.quotas.filter(({ enough }) => enough === null)).toEqual([]);
    expect(text).toContain('too few');
    expect((await run('--calls', '0.1', '--seconds', '1')).exitCode).toBe(1);
  });

  it('cause exit code 1 if none can be read', async () => {
    isDenied = true;
    const { output, exitCode } = await run();
    expect(output.quotas.filter(({ enough }) => enough !== null)).toEqual([]);
    expect(exitCode).toBe(1);
  });

  it('default to AWS’s values if the account has none, and remain unknown if the operator lacks access', async () => {
    responses.set('ServiceQuotasV20190624.GetServiceQuota L-F98FE922', [
      400,
      { __type: 'NoSuchResourceException' },
    ]);
    responses.set('ServiceQuotasV20190624.GetAWSDefaultServiceQuota', [200, { Quota: { Value: 2_500 } }]);
    responses.set('ServiceQuotasV20190624.GetServiceQuota L-2EC3DE7B', [
      400,
      { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'no' },
    ]);
    const { output } = await run();
    const rows = new Map(output.quotas.map((row) => [row.quota, row]));
    expect(rows.get('DynamoDB: tables')).toMatchObject({ granted: 2_500, enough: true });
    expect(rows.get('WAF: regional web ACLs')).toMatchObject({
      granted: null,
      enough: null,
      unread: 'AccessDeniedException',
    });
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
    expect(checks).toContainEqual(expect.objectContaining({ check: 'CloudFront', state: 'unknown' }));
    const zones = ['us-west-1b', 'us-west-1c'];
    const config = parseConfig({ compute: 'fargate', availabilityZones: zones });
    expect(await checkAccount(config, 'catalogs/bedrock.json')).toContainEqual({
      check: 'Zones of the host',
      state: 'ok',
      note: zones.join(', '),
    });
  });

  it('remain unread for the local service', async () => {
    const outcome = await COMMANDS.quotas?.alone?.([]);
    expect(outcome).toMatchObject({
      exitCode: 0,
      output: { quotas: expect.stringContaining('no AWS account') },
    });
  });

  it('reject a load that is not a number', () => {
    expect(() => COMMANDS.quotas?.alone?.(['--calls', 'many'], 'prod')).toThrow('--calls');
  });
});
