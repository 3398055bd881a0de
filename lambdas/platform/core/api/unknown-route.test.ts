import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../app/routes.ts';
import { SILENT } from '../../../inference/testing/circuit/memory-circuits.ts';
import { matchPath } from '../../http/router.ts';
import { MISSING_PATHS } from './missing-paths.ts';
import { REJECTED_REQUESTS, unknownRoute } from './unknown-route.ts';

const endpoint = unknownRoute((path) => matchPath(ROUTES, path).map(({ route }) => route.method));

const readResponse = (method: string, path: string) =>
  Promise.resolve(
    endpoint(new Request(`https://service.test${path}`, { method }), {
      requestId: 'req_1',
      pathParameters: {},
      remainingTimeMs: () => 1_000,
      log: SILENT,
    }),
  ).catch((failure: unknown) => failure);

describe('the error of an unknown route', () => {
  it.each([
    ['GET', '/v1/responses', { status: 426, code: 'websocket_unsupported' }],
    ['DELETE', '/v1/responses', { status: 405, code: 'method_not_allowed' }],
    ['POST', '/v1/responses/compact', { status: 400, code: 'unsupported_by_model' }],
    ['GET', '/v1/responses/compact', { status: 404, code: 'unknown_path' }],
    ['GET', '/v1/responses/resp_1', { status: 404, code: 'unknown_path' }],
    ['POST', '/v1/responses/', { status: 404, code: 'unknown_path' }],
    ['HEAD', '/', { headers: {}, text: '' }],
    ['HEAD', '/v1/messages', { status: 405, code: 'method_not_allowed' }],
    ['GET', '/v1/messages', { status: 405, code: 'method_not_allowed', headers: { allow: 'POST' } }],
  ])('responds to %s %s with %o', async (method, path, expected) => {
    expect(await readResponse(method, path)).toMatchObject(expected);
  });

  it.each([
    ['POST', '/chat/completions', '/v1/chat/completions'],
    ['POST', '/messages', '/v1/messages'],
    ['POST', '/v1/v1/messages', '/v1/messages'],
    ['POST', '/v1//messages/', '/v1/messages'],
    ['POST', '/api/v1/chat/completions', '/v1/chat/completions'],
    ['GET', '/models', '/v1/models'],
  ])('names for %s %s the path that was meant: %s', async (method, path, meant) => {
    expect(await readResponse(method, path)).toMatchObject({
      code: 'unknown_path',
      message: `There is no such path; did you mean ${meant}? The base URL of an OpenAI client ends in /v1 (not /api/v1), that of an Anthropic client has no path.`,
    });
  });

  it.each([
    ['POST', '/v1/chat/completion', '/v1/chat/completions'],
    ['GET', '/v1/chat/completion', '/v1/chat/completions'],
    ['POST', '/chat/completion', '/v1/chat/completions'],
    ['POST', '/v1/embedding', '/v1/embeddings'],
    ['POST', '/v1/images/generation', '/v1/images/generations'],
  ])('names for %s %s, a singular, the path that was meant: %s', async (method, path, meant) => {
    expect(await readResponse(method, path)).toMatchObject({
      code: 'unknown_path',
      message: `There is no such path; did you mean ${meant}?`,
    });
  });

  it.each([
    ['POST', '/models'],
    ['GET', '/apps/'],
    ['POST', '/v1/v2/messages'],
    ['GET', '//'],
    ['POST', '/v1/chat'],
  ])('names no path for %s %s', async (method, path) => {
    expect(await readResponse(method, path)).toMatchObject({
      message: 'There is no such path. GET / lists the paths.',
    });
  });

  it.each(Object.entries(MISSING_PATHS))(
    'says for %s and what is below it what to use instead',
    async (path, instead) => {
      const named = path.replace('{id}', 'x');
      const message = `This service does not have ${path}: ${instead}.`;
      for (const method of ['GET', 'POST'])
        for (const each of [named, `${named}/x`])
          expect(await readResponse(method, each)).toMatchObject({
            status: 404,
            code: 'unknown_path',
            message,
          });
    },
  );

  it.each([
    ['/batches', '/v1/batches'],
    ['/api/v1/generation', '/v1/generation'],
    ['/v1/v1/files/', '/v1/files'],
    ['/dashboard/billing/credit_grants', '/v1/dashboard/billing'],
    ['/v1/completion', '/v1/completions'],
  ])('names for %s, which resembles it, %s', async (path, named) => {
    expect(await readResponse('POST', path)).toMatchObject({
      message: expect.stringContaining(` ${named}: `),
    });
  });

  it('says of a base URL that it is one', async () => {
    for (const path of ['/v1', '/v1/', '/api/v1'])
      expect(await readResponse('GET', path)).toMatchObject({
        status: 404,
        message: expect.stringContaining('the base URL'),
      });
  });

  it('answers a request for an icon without content', async () => {
    expect(await readResponse('GET', '/favicon.ico')).toMatchObject({ status: 204, text: '' });
  });

  it('names only routes that exist', () => {
    const named = Object.values(MISSING_PATHS).flatMap((instead) => [
      ...instead.matchAll(/(GET|POST) (\/[\w/{}-]*)/g),
    ]);
    expect(named.length).toBeGreaterThan(20);
    for (const [request] of named)
      expect(ROUTES.map(({ method, path }) => `${method} ${path}`)).toContain(
        request.replace('/credits/me', '/credits/{api_key}'),
      );
  });

  it('names the protocol and the method to use if the request wants a WebSocket', async () => {
    expect(await readResponse('GET', '/v1/responses')).toMatchObject({
      headers: { upgrade: 'HTTP/1.1', allow: 'POST' },
      message: expect.stringContaining('POST /v1/responses'),
    });
  });

  it('rejects by name only requests that no route accepts', () => {
    for (const { method, path } of REJECTED_REQUESTS)
      expect(ROUTES.filter((route) => route.path === path && (route.method as string) === method)).toEqual(
        [],
      );
  });
});
