import { describe, expect, it } from '@jest/globals';
import { outputName, SECRET_VARIABLES, VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { RELEASE_OUTPUT } from '../../lambdas/platform/contract/release.ts';
import {
  replacedVariable,
  TABLES,
  type Table,
  type TableName,
} from '../../lambdas/platform/contract/tables.ts';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const { Outputs: outputs } = app.templates.data;
const specs = Object.entries(TABLES) as readonly (readonly [TableName, Table])[];

const resourceOf = (variable: string) => {
  const reference = app.reference('data', outputs[outputName(variable)]?.Value);
  return { reference, resource: app.templates.data.Resources[reference?.id ?? ''] };
};

const keySchema = ({ partitionKey, sortKey }: Pick<Table, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' }]),
];

describe('the tables', () => {
  it('match those of the contract', () => {
    expect(app.resources('data', 'AWS::DynamoDB::GlobalTable')).toHaveLength(specs.length);
    const ids = specs.map(([, { variable }]) => resourceOf(variable).reference?.id);
    expect(new Set(ids).size).toBe(specs.length);
  });

  it.each(specs)('use the keys, the indexes and the expiry of the contract: %s', (_name, spec) => {
    const table = resourceOf(spec.variable).resource?.Properties;
    expect(table?.KeySchema).toEqual(keySchema(spec));
    expect(table?.TimeToLiveSpecification).toEqual(
      spec.ttl === undefined ? undefined : { AttributeName: spec.ttl, Enabled: true },
    );
    expect(table?.GlobalSecondaryIndexes).toEqual(
      spec.indexes?.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
  });

  it.each(specs)('support recovery and are protected against loss by mistake: %s', (_name, { variable }) => {
    const { resource } = resourceOf(variable);
    expect(resource).toMatchObject({
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        Replicas: [
          {
            Region: { Ref: 'AWS::Region' },
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        ],
      },
    });
    expect(resource?.Properties).not.toHaveProperty('TableName');
  });
});

describe('the data stack', () => {
  it('refers to the stream of a table that has one only, because CloudFormation fails at any other', () => {
    const streaming = specs.filter(([, { stream }]) => stream === true);
    const text = JSON.stringify(app.templates.data);
    expect(text.match(/"[A-Za-z0-9]+","StreamArn"/g)).toHaveLength(streaming.length);
  });

  it('outputs its version, and where everything is for the operator’s command, under names that CloudFormation takes', () => {
    const tables = specs.map(([, { variable }]) => variable);
    const expected = [
      ...tables,
      ...SECRET_VARIABLES,
      VARIABLES.marketFeeBasisPoints,
      VARIABLES.buildsBucket,
      RELEASE_OUTPUT,
    ].map(outputName);
    const localOutputs = Object.entries(outputs).filter(([, output]) => output.Export === undefined);
    expect(localOutputs.map(([name]) => name).sort()).toEqual(expected.sort());
    for (const name of expected) expect(name).toMatch(/^[A-Za-z0-9]+$/);
  });

  it('holds only what must survive, the rules about it, and a bucket that keeps nothing', () => {
    const rest = Object.entries(app.templates.data.Resources).filter(
      ([id, { Type }]) => Type !== 'AWS::S3::BucketPolicy' && !id.startsWith('RecordingsBucket'),
    );
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of rest)
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([
        id,
        expect.stringMatching(/^Retain/),
        'Retain',
      ]);
  });

  it('creates a table, which no rollback can delete, after everything else that may fail', () => {
    const types = ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::SecretsManager::Secret'];
    const others = types.flatMap((type) => app.resources('data', type).map(([id]) => id));
    expect(others).toHaveLength(9);
    for (const [, { DependsOn: earlier }] of app.resources('data', 'AWS::DynamoDB::GlobalTable'))
      expect(earlier?.toSorted()).toEqual(others.toSorted());
  });
});

it('the bucket of builds retains removed artifacts for as long as tables can be restored, and old uploads for a day', () => {
  for (const [of, days] of [
    [app, 35],
    [new SynthesizedApp('every-setting'), 14],
  ] as const) {
    const bucket = of.templates.data.Resources.Builds?.Properties;
    expect(bucket).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          {
            Prefix: 'uploads/',
            ExpirationInDays: 7,
            NoncurrentVersionExpiration: { NoncurrentDays: 1 },
          },
          {
            Prefix: 'artifacts/',
            NoncurrentVersionExpiration: { NoncurrentDays: days },
            ExpiredObjectDeleteMarker: true,
          },
        ],
      },
    });
  }
});

describe('restored tables', () => {
  const restored = new SynthesizedApp('restored-tables');

  it('take the places of those of the stack: in its outputs, in every variable and in every permission', () => {
    const value = (variable: string) => restored.templates.data.Outputs[outputName(variable)]?.Value;
    expect(value(TABLES.wallets.variable)).toBe('Inference-prod-data-Wallets-at-20261121T093000Z');
    expect(value(replacedVariable(TABLES.wallets.variable))).toEqual({
      Ref: expect.stringMatching(/^Wallets/),
    });
    expect(value(replacedVariable(TABLES.keys.variable))).toBeUndefined();
    const strings = ['inference', 'platform', 'operations'].map((stack) =>
      JSON.stringify(restored.templates[stack as 'inference']),
    );
    for (const text of strings) expect(text).not.toMatch(/ImportValue[^}]*(Wallets|Listings)[0-9A-F]{8}/);
    expect(strings[0]).toContain(':table/Inference-prod-data-Wallets-at-20261121T093000Z');
    expect(strings[1]).toContain('/stream/2026-11-21T10:00:00.000');
  });

  it('leave those of the stack where they are, with what other stacks import of them', () => {
    const ids = (of: SynthesizedApp) => of.resources('data', 'AWS::DynamoDB::GlobalTable').map(([id]) => id);
    expect(ids(restored)).toEqual(ids(app));
    const exports = (of: SynthesizedApp) =>
      Object.values(of.templates.data.Outputs)
        .map(({ Export: exported }) => exported)
        .filter((exported) => exported !== undefined);
    const missing = exports(app).filter(
      (exported) => !exports(restored).some((each) => JSON.stringify(each) === JSON.stringify(exported)),
    );
    expect(missing).toEqual([]);
  });
});
