import { describe, expect, it } from '@jest/globals';
import { ENCRYPTION_KEY } from '../../../test/template/configurations.ts';
import { policiesOf, type Statement } from '../../../test/template/permissions.ts';
import { STACK_NAMES, SynthesizedApp } from '../../../test/template/synthesized-app.ts';

const STACKS = [...STACK_NAMES, 'ingress'] as const;

/** The property of each resource type that names its key. */
const KEYS: Readonly<Record<string, object>> = {
  'AWS::DynamoDB::GlobalTable': {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    Replicas: [expect.objectContaining({ SSESpecification: { KMSMasterKeyId: ENCRYPTION_KEY } })],
  },
  'AWS::Logs::LogGroup': { KmsKeyId: ENCRYPTION_KEY },
  'AWS::S3::Bucket': {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        {
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: ENCRYPTION_KEY },
          BucketKeyEnabled: true,
        },
      ],
    },
  },
  'AWS::SNS::Topic': { KmsMasterKeyId: ENCRYPTION_KEY },
  'AWS::SQS::Queue': { KmsMasterKeyId: ENCRYPTION_KEY },
  'AWS::SecretsManager::Secret': { KmsKeyId: ENCRYPTION_KEY },
};

const statementsOf = (app: SynthesizedApp) => STACKS.flatMap((stack) => policiesOf(app, stack));

const uses = (statements: readonly Statement[], text: string) => JSON.stringify(statements).includes(text);

describe('a key of the customer’s own', () => {
  const app = new SynthesizedApp('customer-key');

  it.each(Object.entries(KEYS))('seals each %s', (type, properties) => {
    const resources = STACKS.flatMap((stack) => app.resources(stack, type));
    expect(resources).not.toEqual([]);
    for (const [id, resource] of resources)
      expect([id, resource.Properties]).toEqual([id, expect.objectContaining(properties)]);
  });

  it('takes the place of the key that SQS manages', () => {
    for (const stack of STACKS)
      for (const [, { Properties }] of app.resources(stack, 'AWS::SQS::Queue'))
        expect(Properties).not.toHaveProperty('SqsManagedSseEnabled');
  });

  it('serves every role that accesses data under it, through the services that store the data', () => {
    const reaching = statementsOf(app).filter(([, statements]) =>
      ['dynamodb:', 's3:', 'sqs:', 'secretsmanager:'].some((service) => uses(statements, `"${service}`)),
    );
    expect(reaching.length).toBeGreaterThan(40);
    const regional = (service: string) => ({
      'Fn::Join': ['', [`${service}.`, { Ref: 'AWS::Region' }, '.amazonaws.com']],
    });
    for (const [id, statements] of reaching)
      expect([id, statements]).toEqual([
        id,
        expect.arrayContaining([
          {
            Effect: 'Allow',
            Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
            Resource: ENCRYPTION_KEY,
            Condition: {
              StringEquals: { 'kms:ViaService': ['dynamodb', 's3', 'secretsmanager', 'sqs'].map(regional) },
            },
          },
        ]),
      ]);
  });

  it('appears nowhere without the setting', () => {
    const standard = new SynthesizedApp();
    for (const stack of STACK_NAMES) {
      const text = JSON.stringify(standard.templates[stack]);
      expect(text).not.toContain('"kms:');
      expect(text).not.toMatch(/"Kms(Master)?KeyId"|"KMSMasterKeyId"/);
    }
  });
});
