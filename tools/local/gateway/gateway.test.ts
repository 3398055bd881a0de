import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Echo,
  type GatewaySetup,
  json,
  post,
  type RunningFixture,
  startFixture,
} from '../testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS } from '../testing/fixture/synthesize.ts';
import { sendRaw } from '../testing/gateway/raw-client.ts';

let fixture: RunningFixture;

beforeAll(async () => {
  fixture = await startFixture();
}, FIXTURE_TIMEOUT_MS);

afterAll(() => fixture.end());

const call = (path: string, init?: RequestInit) => fetch(`${fixture.url}${path}`, init);
const event = async (path: string, init?: RequestInit) => (await json<Echo>(await call(path, init))).event;
const postResult = (httpResponse: unknown) => post(fixture.url, '/echo', { answer: httpResponse });

describe('the event of a proxy integration', () => {
  it('contains the request as API Gateway passes it', async () => {
    const headers = { 'X-Once': 'a', Accept: 'text/plain', 'x-forwarded-for': '10.0.0.1' };
    const received = await event('/things/a%20b/parts/c/d?x=1&x=2&y=%26', { headers });
    expect(received).toMatchObject({
      resource: '/things/{id}/parts/{rest+}',
      path: '/things/a%20b/parts/c/d',
      httpMethod: 'GET',
      pathParameters: { id: 'a%20b', rest: 'c/d' },
      queryStringParameters: { x: '2', y: '&' },
      multiValueQueryStringParameters: { x: ['1', '2'], y: ['&'] },
      stageVariables: null,
      body: null,
      isBase64Encoded: false,
      requestContext: {
        accountId: '000000000000',
        stage: 'prod',
        resourcePath: '/things/{id}/parts/{rest+}',
        httpMethod: 'GET',
        path: '/prod/things/a%20b/parts/c/d',
        protocol: 'HTTP/1.1',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        requestTime: expect.stringMatching(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        identity: { sourceIp: '127.0.0.1', userAgent: 'node' },
      },
    });
    expect(received.headers).toMatchObject({
      'X-Once': 'a',
      'X-Forwarded-For': '10.0.0.1, 127.0.0.1',
      'X-Forwarded-Proto': 'http',
    });
    expect(received.headers).not.toHaveProperty('connection');
  });

  it('contains names in their case and every value, but not the header that requests a WebSocket', async () => {
    const { body } = await sendRaw(fixture.url, [
      'GET /echo HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n',
      'X-Two: a\r\nX-Two: b\r\nSec-WebSocket-Version: 13\r\n\r\n',
    ]);
    const received = JSON.parse(body).event;
    expect(received.httpMethod).toBe('GET');
    expect(Object.keys(received.headers).map((name) => name.toLowerCase())).not.toContain('upgrade');
    expect(received.headers).toMatchObject({ 'Sec-WebSocket-Version': '13', 'X-Two': 'b' });
    expect(received.multiValueHeaders['X-Two']).toEqual(['a', 'b']);
  });

  it('names the most specific resource of the path, and does not exist if that resource lacks the method', async () => {
    expect((await event('/things/fixed')).resource).toBe('/things/fixed');
    expect((await event('/things/other')).resource).toBe('/things/{id}');
    expect((await call('/things/fixed', { method: 'POST' })).status).toBe(404);
  });

  it('contains a text body as UTF-8, and a binary one as base64 if the API specifies it', async () => {
    expect(await event('/files/x', { method: 'PUT', body: '{"é":1}' })).toMatchObject({
      body: '{"é":1}',
      isBase64Encoded: false,
    });
    const image = {
      method: 'POST',
      body: new Uint8Array([0xff, 0x00]),
      headers: { 'content-type': 'image/png' },
    };
    expect(await event('/binary', image)).toMatchObject({ body: '/wA=', isBase64Encoded: true });
    const text = { method: 'POST', body: 'plain', headers: { 'content-type': 'text/plain' } };
    expect(await event('/binary', text)).toMatchObject({ body: 'plain', isBase64Encoded: false });
  });
});

describe('a buffered response', () => {
  it('contains status, headers and body of the function', async () => {
    const httpResponse = await postResult({
      statusCode: 201,
      headers: { 'x-a': 'b', Via: 'x', 'WWW-Authenticate': 'Bearer' },
      multiValueHeaders: { 'set-cookie': ['c=1', 'd=2'] },
      body: 'é',
    });
    expect([
      httpResponse.status,
      await httpResponse.text(),
      httpResponse.headers.get('x-a'),
      httpResponse.headers.getSetCookie(),
    ]).toEqual([201, 'é', 'b', ['c=1', 'd=2']]);
    expect(httpResponse.headers.get('content-type')).toBe('application/json');
    const changed = ['via', 'www-authenticate', 'x-amzn-remapped-www-authenticate'];
    expect(changed.map((name) => httpResponse.headers.get(name))).toEqual([null, null, 'Bearer']);
  });

  it.each([
    ['has no status', { body: 'x' }],
    ['has a body that is no text', { statusCode: 200, body: { a: 1 } }],
    ['has keys that a proxy response lacks', { statusCode: 200, cookies: [] }],
    ['has a header that cannot be sent', { statusCode: 200, headers: { a: 'b\nc' } }],
    ['is no object', 'text'],
  ])('becomes a 502 if it %s', async (_, httpResponse) => {
    const response = await postResult(httpResponse);
    expect([response.status, (await json<GatewaySetup>(response)).made_by]).toEqual([502, 'DEFAULT_5XX']);
  });

  it('passes through base64 decoding only in an API with binary media types', async () => {
    const httpResponse = {
      statusCode: 200,
      headers: { 'content-type': 'image/png' },
      body: 'aGk=',
      isBase64Encoded: true,
    };
    expect(await (await postResult(httpResponse)).text()).toBe('aGk=');
    expect(await (await post(fixture.url, '/binary', { answer: httpResponse })).text()).toBe('hi');
  });

  it('contains no body for HEAD, and the connection stays usable', async () => {
    const httpResponse = await call('/echo', { method: 'HEAD' });
    expect([httpResponse.status, await httpResponse.text(), (await call('/echo')).status]).toEqual([
      200,
      '',
      200,
    ]);
  });
});

describe('a request that reaches no function', () => {
  it('causes a 400 if its path is not well encoded', async () => {
    const { status, body } = await sendRaw(fixture.url, ['GET /things/%zz HTTP/1.1\r\nHost: h\r\n\r\n']);
    expect([status, JSON.parse(body).made_by]).toEqual([400, 'DEFAULT_4XX']);
  });

  it('causes a 400 if it is not HTTP, and a 431 if its headers are too large', async () => {
    const nonsense = await sendRaw(fixture.url, ['how do you do\r\n\r\n']);
    expect([nonsense.status, JSON.parse(nonsense.body).made_by, nonsense.closed]).toEqual([
      400,
      'DEFAULT_4XX',
      true,
    ]);
    const huge = await sendRaw(fixture.url, [
      `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]);
    expect([huge.status, JSON.parse(huge.body).made_by, huge.closed]).toEqual([431, 'DEFAULT_4XX', true]);
  });
});

describe('a request body', () => {
  const head = (length: number, bodyText = '') =>
    `PUT /files/x HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n${bodyText}\r\n`;

  it('causes an error over the limit without a Content-Length too', async () => {
    const httpResponse = await new Promise<number | undefined>((resolve, reject) => {
      const upload = request(`${fixture.url}/files/x`, { method: 'PUT', agent: false }, (response) =>
        resolve(response.resume().statusCode),
      );
      upload.on('error', reject);
      for (let sentCount = 0; sentCount < 8; sentCount += 1) upload.write(Buffer.alloc(1_000_000));
      upload.end();
    });
    expect(httpResponse).toBe(413);
  });

  it('starts after a 100 Continue, or a 413 comes first, if the client expects this', async () => {
    const response = await sendRaw(fixture.url, [head(20_000_000, 'Expect: 100-continue\r\n')]);
    expect(response.status).toBe(413);
    const rawResponse = await sendRaw(fixture.url, [head(2, 'Expect: 100-continue\r\n'), 'hi']);
    expect(rawResponse.headers).toMatch(/^http\/1.1 100 continue/);
  });
});
