import { text as bodyText } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type LoopbackServer, startLoopbackServer } from '../../../tools/simulators/loopback-server.ts';
import { createDynamoClients } from './clients.ts';
import { createParameters } from './parameters.ts';

/** Systems Manager on the wire: what it received, and its next responses. */
interface ReceivedCall {
  readonly target: string | undefined;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}
let server: LoopbackServer;
let received: ReceivedCall[] = [];
let responses: (readonly [number, object] | 'reset')[] = [];

const { client, onceClient } = createDynamoClients({
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

beforeAll(async () => {
  server = await startLoopbackServer(async (request, response) => {
    const { 'x-amz-target': target, 'content-type': contentType, authorization } = request.headers;
    received.push({
      target: String(target),
      contentType,
      authorization,
      body: JSON.parse(await bodyText(request)),
    });
    const next = responses.shift() ?? [500, {}];
    if (next === 'reset') return request.destroy();
    response
      .writeHead(next[0], { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify(next[1]));
  }, 0);
});
afterAll(async () => {
  for (const each of [client, onceClient]) each.destroy();
  await server.stop();
});
beforeEach(() => {
  received = [];
  responses = [];
});

const parameters = () => createParameters({ client, endpoint: server.url });

describe('a parameter', () => {
  it('returns its value to a request for its name, signed for Systems Manager', async () => {
    responses = [[200, { Parameter: { Name: '/a/b', Value: 'open' } }]];
    expect(await parameters().read('/a/b')).toBe('open');
    expect(received).toEqual([
      {
        target: 'AmazonSSM.GetParameter',
        contentType: 'application/x-amz-json-1.1',
        authorization: expect.stringMatching(/Credential=local\/\d{8}\/eu-central-1\/ssm\/aws4_request/),
        body: { Name: '/a/b' },
      },
    ]);
  });

  it('reads as undefined if it does not exist', async () => {
    responses = [[400, { __type: 'ParameterNotFound' }]];
    expect(await parameters().read('/a/b')).toBeUndefined();
  });

  it('receives its first value or another one', async () => {
    responses = [[200, { Version: 2, Tier: 'Standard' }]];
    await parameters().write('/a/b', 'open');
    expect(received[0]).toMatchObject({
      target: 'AmazonSSM.PutParameter',
      body: { Name: '/a/b', Value: 'open', Type: 'String', Overwrite: true },
    });
  });

  it('survives one broken connection, because it is read again once', async () => {
    responses = ['reset', [200, { Parameter: { Value: 'open' } }]];
    expect(await parameters().read('/a/b')).toBe('open');
    responses = ['reset', 'reset', [200, { Parameter: { Value: 'open' } }]];
    await expect(parameters().read('/a/b')).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(received).toHaveLength(4);
  });

  it.each([
    [400, 'com.amazonaws.ssm#ThrottlingException', 'ThrottlingException'],
    [400, 'AccessDeniedException', 'AccessDeniedException'],
    [500, 'InternalServerError', 'InternalServerError'],
  ])('causes an error with the status and the name of AWS’s: %i %s', async (status, type, name) => {
    responses = [[status, { __type: type, message: 'no' }]];
    await expect(parameters().read('/a/b')).rejects.toMatchObject({
      name,
      $metadata: { httpStatusCode: status },
    });
  });
});
