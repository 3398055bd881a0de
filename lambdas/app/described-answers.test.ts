import { describe, expect, it } from '@jest/globals';
import { assertDescribed } from '../../test/system/described-answers.ts';
import { GATEWAY_ERRORS, gatewayErrorBody, IP_RATE_ERROR } from '../platform/contract/gateway-errors.ts';
import { ServiceError } from '../platform/core/errors.ts';
import { errorBody } from '../platform/http/error-response.ts';

const headers = { 'content-type': 'application/json' };

function check(path: string, status: number, body: unknown): void {
  const request = new Request(`http://localhost${path}`);
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  assertDescribed(request, new Response(null, { status, headers }), json);
}

const BALANCE = {
  object: 'credit_balance',
  api_key: 'key',
  balance: 1,
  held: 0,
  owed: 0,
  currency: 'USD',
  policy: { allowed_models: ['a'], daily_usd: 0.5 },
  spend: { today: 0, month: 0 },
};

describe('assertDescribed', () => {
  it('accepts a response with exactly the described fields', () => {
    expect(() => check('/credits/key', 200, BALANCE)).not.toThrow();
  });

  it.each([
    ['a field', { ...BALANCE, extra: 1 }],
    ['a field of a nested object', { ...BALANCE, spend: { today: 0, month: 0, extra: 1 } }],
    ['a field of a nested component', { ...BALANCE, policy: { extra: 1 } }],
  ])('rejects %s that is not described', (_what, body) => {
    expect(() => check('/credits/key', 200, body)).toThrow('must NOT have additional properties');
  });

  it('rejects a response that lacks a described field', () => {
    const { owed: _owed, ...without } = BALANCE;
    expect(() => check('/credits/key', 200, without)).toThrow("must have required property 'owed'");
  });

  it('rejects a page with an entry that differs from its description', () => {
    const page = (entry: object) => ({ object: 'list', data: [entry], next_cursor: null });
    const category = { name: 'a', count: 1, counts: { app: 1, 'ai-agent': 0 } };
    expect(() => check('/categories', 200, page(category))).not.toThrow();
    expect(() => check('/categories', 200, page({ ...category, extra: 1 }))).toThrow('additional properties');
  });
});

describe('the body of an error', () => {
  it.each(['openai', 'messages'] as const)(
    'matches its description, including its details: %s',
    (surface) => {
      const error = new ServiceError('invalid_value', 'No.', { param: 'a', details: { code: 1 } });
      const path = surface === 'messages' ? '/v1/messages/none' : '/none';
      expect(() => check(path, 404, errorBody(error, surface, 'req_1'))).not.toThrow();
    },
  );

  it.each([...GATEWAY_ERRORS, IP_RATE_ERROR])(
    'matches its description if the gateway creates it: $responseType',
    (error) => {
      const body = gatewayErrorBody(error, error === IP_RATE_ERROR ? undefined : 'req_1');
      expect(() => check('/none', 404, body)).not.toThrow();
      if (error !== IP_RATE_ERROR) expect(() => check('/v1/messages/none', 404, body)).not.toThrow();
    },
  );
});
