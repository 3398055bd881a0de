import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createBedrockClients, createRequestSigner } from '../../inference/store/bedrock-clients.ts';

const BODY = JSON.stringify({
  model: 'openai.gpt-oss-20b-1:0',
  messages: [{ role: 'user', content: 'Grüße' }],
});
const PATH = '/openai/v1/chat/completions';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

interface SignedRequest {
  readonly host: string;
  readonly service: string;
  readonly region: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** The signature of such a request, by the book (IAM user guide, Create a signed AWS API request). */
function signatureOf({ host, service, region, headers, secret }: SignedRequest): string {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const all: Readonly<Record<string, string>> = { ...headers, host };
  const lines = names.split(';').map((name) => `${name}:${all[name]?.trim()}\n`);
  const canonical = ['POST', PATH, '', lines.join(''), names, sha256(BODY)].join('\n');
  const time = headers['x-amz-date'] ?? '';
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const key = scope.reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secret}`);
  return hmac(key, ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')).toString('hex');
}

const signerWith = (credentials: object) =>
  createRequestSigner(
    createBedrockClients({
      region: 'eu-west-1',
      credentials: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr', ...credentials }),
    }),
  );

describe('a request that is signed', () => {
  it.each([
    ['bedrock', 'us-west-2', 'us-west-2'],
    ['bedrock', undefined, 'eu-west-1'],
    ['bedrock-mantle', 'us-east-1', 'us-east-1'],
    ['aws-external-anthropic', 'us-east-2', 'us-east-2'],
  ])(
    'contains the signature of its content, address, headers, service and region, by default the function’s region: %s, %s',
    async (service, requestedService, region) => {
      const host = '127.0.0.1:8788';
      const headers = await signerWith({})({
        url: `http://${host}${PATH}`,
        service,
        region: requestedService,
        headers: { 'content-type': 'application/json', 'anthropic-workspace-id': 'wrkspc_1' },
        body: BODY,
      });
      expect(headers.authorization).toContain(
        `/${region}/${service}/aws4_request, SignedHeaders=anthropic-workspace-id;content-type;host;`,
      );
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
      const expected = signatureOf({ host, service, region, headers, secret: 'wJalr' });
      expect(headers.authorization?.endsWith(`Signature=${expected}`)).toBe(true);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'anthropic-workspace-id': 'wrkspc_1',
      });
    },
  );

  it('contains the token of a role’s session, also signed, and no header that the sender sets itself', async () => {
    const headers = await signerWith({ sessionToken: 'token' })({
      url: `https://bedrock-runtime.us-west-2.amazonaws.com${PATH}`,
      service: 'bedrock',
      headers: {},
      body: BODY,
    });
    expect(headers['x-amz-security-token']).toBe('token');
    expect(headers.authorization).toContain(';x-amz-security-token');
    expect(Object.keys(headers)).not.toContain('host');
    expect(Object.keys(headers)).not.toContain('content-length');
  });

  it('requires credentials', async () => {
    const sign = createRequestSigner(
      createBedrockClients({
        region: 'eu-west-1',
        credentials: async () => {
          throw new Error('no credentials');
        },
      }),
    );
    await expect(sign({ url: `http://x${PATH}`, service: 'bedrock', headers: {}, body: '' })).rejects.toThrow(
      'no credentials',
    );
  });
});
