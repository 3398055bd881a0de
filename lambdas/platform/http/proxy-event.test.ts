import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { lambdaEvent } from '../testing/lambda-event.ts';
import { toRequest } from './pipelines.ts';

describe('the request of an event', () => {
  it('preserves every value of a header and of a query parameter', () => {
    const request = toRequest(
      lambdaEvent({
        multiValueHeaders: { Accept: ['text/html', 'application/json'], 'X-Api-Key': ['k'] },
        multiValueQueryStringParameters: { tag: ['a', 'b'], empty: [''] },
      }),
    );
    expect(request.headers.get('accept')).toBe('text/html, application/json');
    expect(request.headers.get('x-api-key')).toBe('k');
    expect(new URL(request.url).searchParams.getAll('tag')).toEqual(['a', 'b']);
    expect(new URL(request.url).searchParams.get('empty')).toBe('');
  });

  it('contains query parameters as API Gateway decoded them, with any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, value) => {
        const request = toRequest(lambdaEvent({ multiValueQueryStringParameters: { [name]: [value] } }));
        expect([...new URL(request.url).searchParams]).toEqual([[name, value]]);
      }),
      { numRuns: 200 },
    );
  });

  it('contains the bytes of a base64 body', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const request = toRequest(
      lambdaEvent({ httpMethod: 'POST', body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true }),
    );
    expect(new Uint8Array(await request.arrayBuffer())).toEqual(bytes);
  });

  it.each(['GET', 'HEAD'])('omits the body if its method has none: %s', (httpMethod) => {
    expect(toRequest(lambdaEvent({ httpMethod, body: 'ignored' })).body).toBeNull();
  });

  it.each([
    ['TRACE', 'NOT-TRACE'],
    ['CONNECT', 'NOT-CONNECT'],
    ['TRACK', 'NOT-TRACK'],
    ['trace', 'NOT-trace'],
    ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((name) => [name, name]),
  ])('contains the method %s as %s, because a request object forbids some methods', (httpMethod, method) => {
    expect(toRequest(lambdaEvent({ httpMethod })).method).toBe(method);
  });

  it.each([null, ''])('contains an empty body if none was sent: %j', async (body) => {
    expect(await toRequest(lambdaEvent({ httpMethod: 'POST', body })).text()).toBe('');
  });

  it.each([
    '/v1/models/a%2Fb',
    '/v1/models/100%',
    '/v1/models/a b',
    '//v1//models',
    '/v1/ü',
    '/a?b',
    '/a#b',
    '/..',
  ])('accepts every path: %s', (path) => {
    expect(toRequest(lambdaEvent({ path })).method).toBe('GET');
  });

  it.each(['localhost:99999', 'a b', 'user@', '[::1', '漢', ''])(
    'ignores the Host header, which plays no part in routing: %j',
    (host) => {
      const request = toRequest(lambdaEvent({ multiValueHeaders: { Host: [host] } }));
      expect(new URL(request.url).pathname).toBe('/v1/models');
    },
  );

  it.each(['→ 漢字', '🙂', 'tab\tand ü'])(
    'accepts any text in a header, such as the name of a program: %s',
    (value) => {
      expect(toRequest(lambdaEvent({ multiValueHeaders: { 'X-Title': [value] } })).method).toBe('GET');
    },
  );
});
