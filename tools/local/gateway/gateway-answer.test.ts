import { describe, expect, it } from '@jest/globals';
import type { GatewayResponse } from '../assembly/api/gateway-responses.ts';
import type { RestApi } from '../assembly/api/rest-apis.ts';
import { checkTemplates, renderFault } from './gateway-answer.ts';
import { faults } from './gateway-fault.ts';

const context = {
  requestId: 'id-1',
  sourceIp: '127.0.0.1',
  startedMs: 5,
  method: 'GET',
  path: '/x',
  query: new URLSearchParams(),
};
const api = (...gatewayResponses: GatewayResponse[]): RestApi => ({
  id: 'api',
  stage: 'prod',
  binaryMediaTypes: [],
  routes: [],
  rateRules: [],
  gatewayResponses,
});
const response = (
  responseType: string,
  template: string,
  rest: Partial<GatewayResponse> = {},
): GatewayResponse => ({
  responseType,
  headers: {},
  bodies: [['application/json', template]],
  ...rest,
});

describe('a gateway response', () => {
  it('matches its type, with its status, headers and substituted body', () => {
    const specific = response(
      'MISSING_AUTHENTICATION_TOKEN',
      '{"id":"$context.requestId","m":$context.error.messageString}',
      {
        status: 404,
        headers: { 'x-id': 'context.requestId', 'Retry-After': "'1'" },
      },
    );
    expect(renderFault(api(response('DEFAULT_4XX', 'no'), specific), faults.noSuchRoute(), context)).toEqual({
      status: 404,
      headers: {
        'content-type': 'application/json',
        'x-amzn-RequestId': 'id-1',
        'x-id': 'id-1',
        'Retry-After': '1',
      },
      body: '{"id":"id-1","m":"Missing Authentication Token"}',
    });
  });

  it.each([
    ['the default of its class, with its own status', faults.requestTooLarge(), 413, '4'],
    ['the default of errors of the server', faults.functionTimedOut(), 504, '5 INTEGRATION_TIMEOUT'],
  ])('falls back to %s', (_, fault, status, body) => {
    const server = response('DEFAULT_5XX', '5 $context.error.responseType');
    const defaults = api(response('DEFAULT_4XX', '4'), server);
    expect(renderFault(defaults, fault, context)).toMatchObject({ status, body });
    expect(renderFault(api(), fault, context)).toMatchObject({
      status,
      body: JSON.stringify({ message: fault.message }),
    });
  });

  it('uses only variables that the gateway supports', () => {
    expect(() =>
      checkTemplates(api(response('DEFAULT_4XX', '$context.requestId $context.path'))),
    ).not.toThrow();
    expect(() => checkTemplates(api(response('DEFAULT_4XX', '$context.authorizer.claim')))).toThrow(
      '$context.authorizer.claim',
    );
    expect(() =>
      checkTemplates(api(response('DEFAULT_4XX', '', { headers: { x: 'context.nothing' } }))),
    ).toThrow('$context.nothing');
  });
});
