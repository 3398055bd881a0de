import { text as bodyText } from 'node:stream/consumers';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type LoopbackServer, startLoopbackServer } from '../../../tools/simulators/loopback-server.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import type { SecretReader } from '../core/ports.ts';
import { createSecretsClient } from './clients.ts';
import { createPepperSource, createSecretReader } from './secrets.ts';

/** AWS Secrets Manager's GetSecretValue, on the wire. */
const secrets = new Map<string, string>();
let server: LoopbackServer;
let client: SecretsManagerClient;
let reads = 0;
let nowMs = 0;
let logged: string[] = [];

beforeAll(async () => {
  server = await startLoopbackServer(async (request, response) => {
    reads += 1;
    const { SecretId: id } = JSON.parse(await bodyText(request)) as { SecretId: string };
    const value = secrets.get(id);
    response.writeHead(value === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
    const body =
      value === undefined ? { __type: 'ResourceNotFoundException' } : { Name: id, SecretString: value };
    response.end(JSON.stringify(body));
  }, 0);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = createSecretsClient({ endpoint: server.url, region: 'us-east-1', credentials });
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

let read: SecretReader;

beforeEach(() => {
  secrets.clear();
  reads = 0;
  nowMs = 0;
  logged = [];
  const note = (message: string, fields?: unknown) => logged.push(JSON.stringify([message, fields]));
  read = createSecretReader({
    client,
    environment: { SIM_KEY: 'from the environment', EMPTY: '' },
    clock: () => nowMs,
    log: { ...SILENT, error: note, warn: note },
  });
});

const failureOf = async (reading: Promise<string>): Promise<string> =>
  reading.then(
    () => 'none',
    (failure: Error) => `${failure.message} ${failure.stack ?? ''} ${JSON.stringify(failure)}`,
  );

describe('a secret', () => {
  it('comes from the environment, from a whole secret of Secrets Manager, or from a field of one', async () => {
    secrets.set('plain', 'the whole text');
    secrets.set('providers', JSON.stringify({ openai: 'sk-1', anthropic: 'sk-2' }));
    expect(await read('env:SIM_KEY')).toBe('from the environment');
    expect(await read('secretsmanager:plain')).toBe('the whole text');
    expect(await read('secretsmanager:providers#anthropic')).toBe('sk-2');
  });

  it('causes one read for concurrent calls', async () => {
    secrets.set('plain', 'text');
    await Promise.all(Array.from({ length: 20 }, () => read('secretsmanager:plain')));
    expect(reads).toBe(1);
  });

  it.each([
    'env:MISSING',
    'env:EMPTY',
    'secretsmanager:missing',
    'secretsmanager:providers#missing',
    'secretsmanager:providers#number',
    'secretsmanager:providers#empty',
    'secretsmanager:broken#field',
    'secretsmanager:nothing#field',
  ])('causes an error that quotes no secret if it is missing: %s', async (reference) => {
    secrets.set('providers', JSON.stringify({ openai: 'sk-hidden', number: 5, empty: '' }));
    secrets.set('broken', '{"field": sk-hidden');
    secrets.set('nothing', 'null');
    const message = await failureOf(read(reference));
    expect(message).not.toBe('none');
    expect(message).not.toContain('sk-hidden');
  });

  it('causes a new read at the next call if it was missing', async () => {
    expect(await failureOf(read('secretsmanager:late'))).not.toBe('none');
    secrets.set('late', 'here now');
    expect(await read('secretsmanager:late')).toBe('here now');
  });

  it('takes effect soon after five minutes if it was rotated, and delays no call', async () => {
    secrets.set('plain', 'old');
    expect(await read('secretsmanager:plain')).toBe('old');
    secrets.set('plain', 'new');
    nowMs += 5 * 60_000;
    expect(await read('secretsmanager:plain')).toBe('old');
    nowMs += 1;
    expect(await read('secretsmanager:plain')).toBe('old');
    await until(
      () => read('secretsmanager:plain'),
      (value) => value === 'new',
    );
    expect(reads).toBe(2);
  });

  it('stays in use when its refresh fails, which is logged without quoting it', async () => {
    secrets.set('plain', 'sk-hidden');
    await read('secretsmanager:plain');
    secrets.clear();
    nowMs += 6 * 60_000;
    expect(await read('secretsmanager:plain')).toBe('sk-hidden');
    await until(() => logged.length, Boolean);
    expect(logged.join()).toContain('secretsmanager:plain');
    expect(logged.join()).not.toContain('sk-hidden');
    expect(await read('secretsmanager:plain')).toBe('sk-hidden');
  });
});

describe('the pepper', () => {
  it('includes the previous pepper if there is one', async () => {
    const peppers = createPepperSource(read, 'pepper');
    secrets.set('pepper', JSON.stringify({ current: 'a pepper of today', previous: 'one of yesterday' }));
    expect(await peppers()).toEqual({ current: 'a pepper of today', previous: 'one of yesterday' });
    secrets.set('other', JSON.stringify({ current: 'a pepper of today' }));
    expect(await createPepperSource(read, 'other')()).toEqual({ current: 'a pepper of today' });
  });

  it.each([
    'not JSON but secret-pepper-text',
    '"secret-pepper-text"',
    '{"current":"secret-pepper"}',
    '{"current":5}',
    '{"previous":"secret-pepper-text"}',
    '{"current":"secret-pepper-text","previous":""}',
    '{"current":"secret-pepper-text","previous":null}',
  ])('causes an error that does not quote it if its format is wrong: %s', async (value) => {
    secrets.set('pepper', value);
    const message = await failureOf(createPepperSource(read, 'pepper')().then(String));
    expect(message).toContain('pepper is not JSON of the form');
    expect(message).not.toContain('secret-pepper');
  });
});
