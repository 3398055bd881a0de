import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { lambdaEvent } from '../testing/lambda-event.ts';
import { pathParametersOf, toRequest } from './pipelines.ts';

describe('the request of an event', () => {
  it('contains its method, path, query, headers and body', async () => {
    const request = toRequest(
      lambdaEvent({
        httpMethod: 'POST',
        path: '/v1/chat/completions',
        multiValueHeaders: { Host: ['api.example.com'], 'Content-Type': ['application/json'] },
        multiValueQueryStringParameters: { a: ['1'] },
        body: '{"model":"漢字"}',
      }),
    );
    expect(request.method).toBe('POST');
    expect(request.url).toBe('https://localhost/v1/chat/completions?a=1');
    expect(request.headers.get('content-type')).toBe('application/json');
    expect(await request.json()).toEqual({ model: '漢字' });
  });

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

  it.each(['TRACE', 'CONNECT', 'TRACK', 'trace'])(
    'replaces a method that no request may have: %s',
    (httpMethod) => {
      expect(toRequest(lambdaEvent({ httpMethod })).method).toBe(`NOT-${httpMethod}`);
    },
  );

  it.each([null, ''])('contains an empty body if none was sent: %j', async (body) => {
    expect(await toRequest(lambdaEvent({ httpMethod: 'POST', body })).text()).toBe('');
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'preserves every method that API Gateway accepts: %s',
    (httpMethod) => {
      expect(toRequest(lambdaEvent({ httpMethod })).method).toBe(httpMethod);
    },
  );

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

  it('contains the path as the caller wrote it, including percent-encoding', () => {
    expect(new URL(toRequest(lambdaEvent({ path: '/v1/models/a%2Fb' })).url).pathname).toBe(
      '/v1/models/a%2Fb',
    );
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

describe('the path parameters of an event', () => {
  it('contain decoded values, including an encoded slash', () => {
    const event = lambdaEvent({ pathParameters: { model: 'openai%2Fgpt-5', api_key: 'sk%20%C3%BC' } });
    expect(pathParametersOf(event)).toEqual({ model: 'openai/gpt-5', api_key: 'sk ü' });
  });

  it('stay unchanged if their encoding is broken', () => {
    expect(pathParametersOf(lambdaEvent({ pathParameters: { model: '100%' } }))).toEqual({ model: '100%' });
  });

  it('remain empty if the route has none', () => {
    expect(pathParametersOf(lambdaEvent())).toEqual({});
  });

  it('equal the original text for any percent-encoded text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const event = lambdaEvent({ pathParameters: { model: encodeURIComponent(value) } });
        expect(pathParametersOf(event)).toEqual({ model: value });
      }),
      { numRuns: 200 },
    );
  });
});
