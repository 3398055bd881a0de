import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Echo, json, post, type RunningFixture, startFixture } from '../testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS } from '../testing/fixture/synthesize.ts';

let fixture: RunningFixture;
let table: string;

beforeAll(async () => {
  fixture = await startFixture();
  table = fixture.outputs.ThingsTable ?? '';
}, FIXTURE_TIMEOUT_MS);

afterAll(() => fixture.end());

interface Outcome {
  readonly status: number;
  readonly output: {
    readonly __type: string;
    readonly message: string;
    readonly SecretString: string;
    readonly ARN: string;
  };
}

/** A call by the function `aws`, whose role the fixture defines. */
const call = async (target: string, input: unknown, { url } = fixture): Promise<Outcome> =>
  json<Outcome>(await post(url, '/aws', { target, input }));
const dynamodb = (operation: string, input: object) =>
  call(`DynamoDB_20120810.${operation}`, { TableName: table, ...input });
const secret = (SecretId: string) => call('secretsmanager.GetSecretValue', { SecretId });

describe('a DynamoDB call of a function', () => {
  it('reaches DynamoDB if its role allows it, and returns the consumed capacity', async () => {
    expect(await dynamodb('PutItem', { Item: { id: { S: 'a' } } })).toEqual({ status: 200, output: {} });
    const read = await dynamodb('GetItem', {
      Key: { id: { S: 'a' } },
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(read.output).toEqual({
      Item: { id: { S: 'a' } },
      ConsumedCapacity: { TableName: table, CapacityUnits: 1 },
    });
  });

  it('fails with AWS’s error if no statement allows it, and the terminal reports it', async () => {
    const { status, output } = await dynamodb('UpdateItem', { Key: { id: { S: 'a' } } });
    expect([status, output.__type]).toEqual([400, 'AccessDeniedException']);
    expect(output.message).toMatch(
      /^User: arn:aws:sts::000000000000:assumed-role\/Service-aws\S+ is not authorized to perform: dynamodb:UpdateItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/Data-Things\S+ because no identity-based policy allows the dynamodb:UpdateItem action$/,
    );
    expect(fixture.lines).toContain(`IAM denied: ${output.message}`);
  });

  it('fails on an index that the role does not list', async () => {
    expect((await dynamodb('Query', { IndexName: 'by-owner' })).output.__type).toBe('AccessDeniedException');
  });

  it('fails in a transaction with an item that the role must not write', async () => {
    const TransactItems = [
      { Put: { TableName: table, Item: { id: { S: 'b' } } } },
      { Delete: { TableName: table.replace(/Things.*/, 'HiddenC5FDDB5E'), Key: {} } },
    ];
    expect((await dynamodb('TransactWriteItems', { TransactItems })).output.message).toContain(
      'with an explicit deny',
    );
  });
});

describe('a secret', () => {
  it('follows its recipe, does not change, and is stored in a file that only the user can read', async () => {
    const file = join(fixture.stateDir, 'generated-secrets.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const name = Object.keys(JSON.parse(readFileSync(file, 'utf8'))).find((key) => key.includes('Pepper'));
    const { output } = await secret(String(name));
    expect(JSON.parse(output.SecretString)).toEqual({
      kind: 'pepper',
      current: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
    });
    expect((await secret(output.ARN)).output.SecretString).toBe(output.SecretString);
    expect((await secret(output.ARN.slice(0, -7))).output.SecretString).toBe(output.SecretString);
  });

  it('causes AccessDeniedException if the role does not list it', async () => {
    expect((await secret('Data-Locked')).output.__type).toBe('AccessDeniedException');
  });

  it('takes effect at once if the user writes it, and a missing one causes ResourceNotFoundException', async () => {
    expect((await secret('prod/providers/x')).output).toMatchObject({ __type: 'ResourceNotFoundException' });
    writeFileSync(join(fixture.stateDir, 'secrets.json'), '{"prod/providers/x":{"key":"k"}}');
    expect((await secret('prod/providers/x')).output.SecretString).toBe('{"key":"k"}');
  });
});

describe('any other AWS call', () => {
  it('causes an error that contains its name', async () => {
    const { status, output } = await call('Kinesis_20131202.PutRecord', {});
    expect([status, output.__type]).toEqual([400, 'UnknownOperationException']);
    expect(output.message).toContain('Kinesis_20131202.PutRecord');
  });
});

describe('IAM that is switched off', () => {
  it('allows every call and keeps the endpoint out of the path of DynamoDB', async () => {
    const open = await startFixture({ enforceIam: false });
    try {
      const input = { TableName: table, Key: { id: { S: 'a' } } };
      const response = await call('DynamoDB_20120810.UpdateItem', input, open);
      const { environment } = await json<Echo>(await fetch(`${open.url}/echo`));
      expect(response).toEqual({ status: 200, output: {} });
      expect(environment.AWS_ENDPOINT_URL_DYNAMODB).toBe(open.dynamodbEndpoint);
    } finally {
      await open.end();
    }
  });
});
