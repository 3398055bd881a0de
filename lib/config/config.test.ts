import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { BACKUP_VAULT, DOMAINS, EDGE_DOMAIN } from '../../test/template/configurations.ts';
import { permissionsOf, policiesOf } from '../../test/template/permissions.ts';
import { methodsOf } from '../../test/template/rest-apis.ts';
import {
  joined,
  SERVICE_STACKS,
  SynthesizedApp,
  temporaryFolder,
} from '../../test/template/synthesized-app.ts';
import { type Config, loadConfig, parseConfig } from './config.ts';

const DEFAULTS: Config = {
  stage: 'prod',
  serviceName: 'Unified Inference Service',
  bootstrap: 'scoped',
  logRetentionDays: 30,
  holdTtlSeconds: 1200,
  compute: 'lambda',
  ingress: 'none',
  availabilityPercent: 99.9,
  ipRequestsPerMinute: 200,
  identityProviders: {},
  market: true,
  transcribe: true,
  marketFeeBasisPoints: 0,
  buildScan: 'none',
  marketPayouts: 'none',
  requestsPerSecond: 1000,
  edgeSecretGeneration: 1,
  recoveryDays: 35,
  restoredTables: {},
  tracing: false,
};

const oidc = (fields: object) => ({
  type: 'oidc',
  issuer: 'https://accounts.google.com',
  audience: 'client.apps.googleusercontent.com',
  ...fields,
});

describe('the settings', () => {
  it('default to complete values without input of the operator', () => {
    expect(parseConfig({})).toEqual(DEFAULTS);
    expect(loadConfig(undefined)).toEqual(DEFAULTS);
  });

  it.each([
    ['lambda', undefined, undefined],
    ['fargate', undefined, { everyMinutes: 5 }],
    ['fargate', false, undefined],
    ['fargate', { everyMinutes: 9 }, { everyMinutes: 9 }],
  ] as const)('default to a smoke test where a shared host serves: %s, %j', (compute, smoke, expected) => {
    expect(parseConfig({ compute, ...(smoke === undefined ? {} : { smoke }) }).smoke).toEqual(expected);
  });

  it('default to a smoke test every five minutes if its setting has no fields', () => {
    expect(parseConfig({ smoke: {} }).smoke).toEqual({ everyMinutes: 5 });
  });

  it('come from a file, defaults filled in', () => {
    const file = join(temporaryFolder(), 'settings.json');
    writeFileSync(file, '{"stage": "staging"}');
    expect(loadConfig(file)).toEqual({ ...DEFAULTS, stage: 'staging' });
  });

  it.each([
    ['stage', { stage: 'Prod' }],
    ['stage', { stage: '' }],
    ['stage', { stage: 'a'.repeat(21) }],
    ['stage', { stage: '1st' }],
    ['stage', { stage: 'a-dead' }],
    ['serviceName', { serviceName: '' }],
    ['serviceName', { serviceName: 'Acme ' }],
    ['serviceName', { serviceName: 'a'.repeat(41) }],
    ['warningEmail', { warningEmail: 'nobody' }],
    ['availabilityZones', { availabilityZones: ['us-east-1a'] }],
    ['availabilityZones', { availabilityZones: ['us-east-1', 'us-east-1b'] }],
    ['stage', { stage: null }],
    ['logRetentionDays', { logRetentionDays: 31 }],
    ['logRetentionDays', { logRetentionDays: '30' }],
    ['holdTtlSeconds', { holdTtlSeconds: 900 }],
    ['holdTtlSeconds', { holdTtlSeconds: 0 }],
    ['holdTtlSeconds', { holdTtlSeconds: 1200.5 }],
    ['ipRequestsPerMinute', { ipRequestsPerMinute: 9 }],
    ['ipRequestsPerMinute', { ipRequestsPerMinute: Number.POSITIVE_INFINITY }],
    ['identityProviders', { identityProviders: { Google: oidc({}) } }],
    ['identityProviders', { identityProviders: { me: oidc({}) } }],
    ['identityProviders', { identityProviders: { providers: oidc({}) } }],
    ['identityProviders', { identityProviders: { renew: oidc({}) } }],
    ['identityProviders', { identityProviders: { google: oidc({ clientId: 'of another' }) } }],
    ['identityProviders', { identityProviders: { google: oidc({ redirectUris: ['https://a.example/'] }) } }],
    ...['http://a.example/', 'https://a.example/#x'].map((uri) => {
      const github = { type: 'github', clientId: 'c', redirectUris: [uri] };
      return ['identityProviders', { identityProviders: { github } }] as const;
    }),
    ['identityProviders', { identityProviders: { google: oidc({ issuer: 'http://example.com' }) } }],
    ['identityProviders', { identityProviders: { google: oidc({ audience: [] }) } }],
    ['identityProviders', { identityProviders: { google: oidc({ clientSecret: 'x' }) } }],
    ['identityProviders', { identityProviders: { google: { type: 'saml' } } }],
    ['marketPayouts, buildScan and marketFeeBasisPoints', { market: false, marketPayouts: 'stripe' }],
    ['marketPayouts, buildScan and marketFeeBasisPoints', { market: false, buildScan: 'guardduty' }],
    ['marketPayouts, buildScan and marketFeeBasisPoints', { market: false, marketFeeBasisPoints: 1 }],
    ['marketFeeBasisPoints', { marketFeeBasisPoints: 10_001 }],
    ['marketFeeBasisPoints', { marketFeeBasisPoints: 2.5 }],
    ['alertMail', { alertMail: 'Alerts <alerts@example.com>' }],
    ['alertMail', { alertMail: 'a@example.com\r\nBcc: b@example.com' }],
    ['paymentReturnUrl', { paymentReturnUrl: 'http://example.com/' }],
    ['ip_rpm', { ip_rpm: 100 }],
    ['requestsPerSecond', { requestsPerSecond: 0 }],
    ['requestsPerSecond', { requestsPerSecond: 10_001 }],
    ['recoveryDays', { recoveryDays: 36 }],
    ['restoredTables', { restoredTables: { purses: { name: 'restored' } } }],
    ['name', { restoredTables: { wallets: { name: 'a b' } } }],
    ['restoredTables', { restoredTables: { wallets: { name: 'wallets-at-20261121T093000Z' } } }],
    ['backupCopies', { backupCopies: { vaultArn: 'arn:aws:s3:::copies', keepDays: 35 } }],
    ['keepDays', { backupCopies: { vaultArn: BACKUP_VAULT, keepDays: 0 } }],
    ['alarmEmail', { alarmEmail: 'nobody' }],
    ['tracing', { tracing: 'yes' }],
    ['providerSecrets', { providerSecrets: [] }],
    ['providerSecrets', { providerSecrets: ['prod/providers/*'] }],
    ['domains', { domains: { inference: 'api.example.com', platform: 'www.example.com' } }],
    ['domains', { domains: { ...DOMAINS, platform: DOMAINS.inference } }],
    ['domains', { domains: { ...DOMAINS, inference: 'https://api.example.com' } }],
    ['certificateArn', { domains: { ...DOMAINS, certificateArn: 'arn:aws:iam::1:role/x' } }],
    ['compute', { compute: 'ec2' }],
    ['region', { region: 'Frankfurt' }],
    ['ingress', { compute: 'fargate', ingress: 'fargate' }],
    ['ingress', { compute: 'fargate', ingress: 'web-function' }],
    ['hostTasks', { hostTasks: { least: 1, most: 2 } }],
    ['hostTasks', { ingress: 'fargate', hostTasks: { least: 1, most: 2 } }],
    ['hostTasks', { compute: 'fargate', hostTasks: { least: 3, most: 2 } }],
    ['least', { compute: 'fargate', hostTasks: { least: 0, most: 2 } }],
    ['most', { compute: 'fargate', hostTasks: { least: 1 } }],
    ['edgeDomain', { edgeDomain: EDGE_DOMAIN }],
    [
      'edgeDomain',
      { compute: 'fargate', domains: DOMAINS, edgeDomain: { ...EDGE_DOMAIN, name: DOMAINS.platform } },
    ],
    [
      'certificateArn',
      { compute: 'fargate', edgeDomain: { ...EDGE_DOMAIN, certificateArn: DOMAINS.certificateArn } },
    ],
    ['lambdaConcurrency', { lambdaConcurrency: 9 }],
    ['smoke', { smoke: { everyMinutes: 0 } }],
    ['smoke', { smoke: { everyMinutes: 61 } }],
    ['smoke', { smoke: { models: [] } }],
    ['smoke', { smoke: { models: ['a,b'] } }],
    ['smoke', { smoke: { models: Array.from({ length: 6 }, (_, at) => `acme/${at}`) } }],
    ['smoke', { smoke: { every: 5 } }],
  ])('cause an error with the field name if they are wrong: %s %j', (field, settings) => {
    expect(() => parseConfig(settings)).toThrow(new RegExp(`^configuration: .*${field}`, 's'));
  });

  it.each([[[]], ['prod'], [null], [3]])('cause an error if they are not an object: %j', (settings) => {
    expect(() => parseConfig(settings)).toThrow(/^configuration: /);
  });

  it('cause an error with the file name if they cannot be read, or are not JSON', () => {
    const file = join(temporaryFolder(), 'broken.json');
    expect(() => loadConfig(file)).toThrow(`configuration: cannot read ${file}`);
    writeFileSync(file, '{"stage": ');
    expect(() => loadConfig(file)).toThrow(file);
  });
});

describe('the settings of a deployment', () => {
  const app = new SynthesizedApp('every-setting');

  it('serviceName names the pages for people, and nothing else', () => {
    const named = app.resources('platform', 'AWS::Lambda::Function').flatMap(([id, { Properties }]) => {
      const { Variables: variables } = Properties.Environment as { Variables: Record<string, unknown> };
      return variables[VARIABLES.serviceName] === 'A & B' ? [app.functionName('platform', id)] : [];
    });
    expect(named.sort()).toEqual(['fan-out-events', 'get-console', 'get-docs', 'get-index', 'get-openapi']);
  });

  it('alertMail lets one function mail, from that address alone; without it none', () => {
    const mailing = (each: SynthesizedApp) =>
      ['platform' as const, 'inference' as const].flatMap((stack) =>
        policiesOf(each, stack).flatMap(([id, statements]) =>
          statements
            .filter(({ Action }) => String(Action).includes('ses:'))
            .map((statement) => ({ id, ...statement })),
        ),
      );
    const Condition = { StringEquals: { 'ses:FromAddress': 'alerts@example.com' } };
    expect(mailing(app)).toMatchObject([
      { id: expect.stringContaining('fanoutevents'), Action: 'ses:SendEmail', Effect: 'Allow', Condition },
    ]);
    expect(mailing(new SynthesizedApp('standard'))).toEqual([]);
  });

  it('send the critical alarms to alarmEmail, and the rest to warningEmail', () => {
    const topic = (id: RegExp) => ({ Ref: expect.stringMatching(id) });
    expect(app.properties('operations', 'AWS::SNS::Subscription')).toEqual([
      { TopicArn: topic(/^Alarms/), Protocol: 'email', Endpoint: 'operators@example.com' },
      { TopicArn: topic(/^Warnings/), Protocol: 'email', Endpoint: 'daytime@example.com' },
    ]);
  });

  it('backupCopies copies every table once a day to a vault of another account, which may use the key for it', () => {
    const plan = app.only('data', 'AWS::Backup::BackupPlan').Properties.BackupPlan;
    expect(plan).toMatchObject({
      BackupPlanRule: [
        {
          // All tables within an hour, of the eight that AWS Backup takes by default.
          StartWindowMinutes: 60,
          Lifecycle: { DeleteAfterDays: 35 },
          CopyActions: [{ DestinationBackupVaultArn: BACKUP_VAULT, Lifecycle: { DeleteAfterDays: 35 } }],
        },
      ],
    });
    const { Resources: chosen } = Object(
      app.only('data', 'AWS::Backup::BackupSelection').Properties.BackupSelection,
    );
    expect(chosen).toHaveLength(Object.keys(TABLES).length);
    const { KeyPolicy: policy } = app.only('data', 'AWS::KMS::Key').Properties;
    const [, copying, granting] = (policy as { Statement: Record<string, unknown>[] }).Statement;
    const kms = (...names: string[]) => names.map((name) => `kms:${name}`);
    const other = {
      AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::123456789012:root']] },
    };
    expect(copying).toMatchObject({ Effect: 'Allow', Principal: other });
    expect(copying?.Action).toEqual([
      ...kms('DescribeKey', 'Encrypt', 'Decrypt', 'ReEncryptFrom', 'ReEncryptTo', 'GenerateDataKey'),
      ...kms('GenerateDataKeyPair', 'GenerateDataKeyPairWithoutPlaintext', 'GenerateDataKeyWithoutPlaintext'),
    ]);
    expect(granting).toMatchObject({
      Effect: 'Allow',
      Principal: other,
      Action: kms('CreateGrant', 'ListGrants', 'RevokeGrant'),
      Condition: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
    });
  });

  it('backupCopies alone has alarms of backups and copies', () => {
    for (const name of ['backup-failed/backups', 'backup-failed/copies', 'copy-missing']) {
      expect(new SynthesizedApp().alarm(name)).toBeUndefined();
      expect(app.alarm(name)).toBeDefined();
    }
  });

  it('recoveryDays sets the recovery period of each table', () => {
    const tables = app.properties('data', 'AWS::DynamoDB::GlobalTable');
    expect(tables).toHaveLength(Object.keys(TABLES).length);
    for (const { Replicas: replicas } of tables)
      expect(replicas).toMatchObject([{ PointInTimeRecoverySpecification: { RecoveryPeriodInDays: 14 } }]);
  });

  it('tracing traces every API and function, and grants the functions access to write traces only', () => {
    for (const stack of SERVICE_STACKS) {
      expect(app.only(stack, 'AWS::ApiGateway::Stage').Properties.TracingEnabled).toBe(true);
      const functions = app.resources(stack, 'AWS::Lambda::Function');
      expect(functions.length).toBeGreaterThan(5);
      for (const [, { Properties }] of functions) {
        expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
        const roleId = app.reference(stack, Properties.Role)?.id ?? '';
        const everywhere = permissionsOf(app, stack, roleId)
          .filter((permission) => permission.endsWith(' *'))
          // Their functions have them without tracing, too.
          .filter(
            (permission) =>
              !/^(dynamodb:ListStreams|guardduty:SendObjectMalwareScan|polly:\w+|transcribe:\w+) /.test(
                permission,
              ),
          );
        expect(everywhere).toEqual(['xray:PutTelemetryRecords *', 'xray:PutTraceSegments *']);
      }
    }
  });

  it('give each API the name in domains, with TLS 1.2 or later', () => {
    for (const stack of SERVICE_STACKS) {
      expect(app.only(stack, 'AWS::ApiGateway::DomainName').Properties).toMatchObject({
        DomainName: DOMAINS[stack],
        RegionalCertificateArn: DOMAINS.certificateArn,
        SecurityPolicy: 'TLS_1_2',
        EndpointConfiguration: { Types: ['REGIONAL'] },
      });
      expect(app.only(stack, 'AWS::ApiGateway::BasePathMapping').Properties).not.toHaveProperty('BasePath');
    }
  });

  it('stage and providerSecrets name the APIs and their stages, and limit access to the providers’ secrets', () => {
    for (const stack of SERVICE_STACKS) {
      expect(app.only(stack, 'AWS::ApiGateway::RestApi').Properties.Name).toBe(`eu-test-2-${stack}`);
      expect(app.only(stack, 'AWS::ApiGateway::Stage').Properties.StageName).toBe('eu-test-2');
    }
    const secrets = JSON.stringify(app.templates.inference).match(/:secret:[^"]*providers[^"]*/g);
    expect([...new Set(secrets)]).toEqual([
      ':secret:eu-test-2/providers/openai-??????',
      ':secret:eu-test-2/providers/anthropic-??????',
    ]);
  });

  it('smoke adds the one function that calls the service, and nothing to the others', () => {
    const { inference } = app.templates;
    const added = Object.keys(inference.Resources).filter((id) => id.startsWith('ScheduledSmoke'));
    expect(added.length).toBeGreaterThan(3);
    // Saved queries name the logs of every function.
    const mentions = Object.entries(inference.Resources).filter(
      ([, each]) => each.Type !== 'AWS::Logs::QueryDefinition' && /smoke/i.test(JSON.stringify(each)),
    );
    expect(mentions.map(([id]) => id).filter((id) => !added.includes(id))).toEqual([]);
  });

  it('logRetentionDays limits the life of every log', () => {
    const groups = SERVICE_STACKS.flatMap((stack) => app.properties(stack, 'AWS::Logs::LogGroup'));
    expect(groups.length).toBeGreaterThan(10);
    expect(new Set(groups.map(({ RetentionInDays: days }) => days))).toEqual(new Set([7]));
  });

  it('holdTtlSeconds reaches the functions that place holds', () => {
    const ttls = SERVICE_STACKS.flatMap((stack) => app.properties(stack, 'AWS::Lambda::Function')).flatMap(
      ({ Environment: environment }) => Object(environment).Variables.HOLD_TTL_SECONDS ?? [],
    );
    expect(ttls.length).toBeGreaterThan(1);
    expect(new Set(ttls)).toEqual(new Set(['3600']));
  });

  it('ipRequestsPerMinute sets the limit of the rate rule', () => {
    const rules = app.only('inference', 'AWS::WAFv2::WebACL').Properties.Rules;
    expect(rules).toEqual([
      expect.objectContaining({
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 1000, EvaluationWindowSec: 60 } },
      }),
    ]);
  });

  it('keep the methods of the APIs unchanged', () => {
    const standard = new SynthesizedApp();
    for (const stack of SERVICE_STACKS) {
      const table = (of: SynthesizedApp) =>
        methodsOf(of, stack).map(({ method, path, endpoint, integration }) => [
          method,
          path,
          endpoint,
          joined(integration.Uri),
        ]);
      expect(table(app)).toEqual(table(standard));
    }
  });
});
