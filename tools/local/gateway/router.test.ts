import { describe, expect, it } from '@jest/globals';
import type { ApiRoute, RestApi } from '../assembly/api/rest-apis.ts';
import { createRouter } from './router.ts';

const api = (id: string, ...routes: [method: string, path: string][]): RestApi => ({
  id,
  stage: 'prod',
  binaryMediaTypes: [],
  gatewayResponses: [],
  rateRules: [],
  routes: routes.map(
    ([method, resourcePath]): ApiRoute => ({
      method,
      resourcePath,
      resourceId: `${id}${resourcePath}`,
      functionArn: `${id} ${method} ${resourcePath}`,
      transfer: 'buffered',
      timeoutMs: 1000,
    }),
  ),
});

const route = createRouter([
  api(
    'one',
    ['ANY', '/{proxy+}'],
    ['GET', '/a/{id}'],
    ['GET', '/a/fixed'],
    ['ANY', '/a/fixed'],
    ['GET', '/a/{id}/b'],
  ),
  api('two', ['GET', '/'], ['POST', '/a/fixed'], ['GET', '/m/{model+}']),
]);
const target = (method: string, path: string) => route(method, path)?.route.functionArn;

describe('the router', () => {
  it('takes the exact method of a resource from either API before ANY', () => {
    expect(target('POST', '/a/fixed')).toBe('two POST /a/fixed');
    expect(target('PUT', '/a/fixed')).toBe('one ANY /a/fixed');
  });

  it('ignores less specific resources if the method is missing', () => {
    expect(target('POST', '/a/other')).toBeUndefined();
    expect(target('HEAD', '/')).toBeUndefined();
  });

  it('gives path parameters as they came, percent-encoded', () => {
    expect(route('GET', '/a/x%20y/b')?.pathParameters).toEqual({ id: 'x%20y' });
    expect(route('GET', '/m/sim/chat%2Flarge')?.pathParameters).toEqual({ model: 'sim/chat%2Flarge' });
    expect(route('GET', '/a/fixed')?.pathParameters).toEqual({});
  });
});
