import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, ServiceError } from '../core/errors.ts';
import { errorBody } from '../http/error-response.ts';
import { GATEWAY_ERRORS, type GatewayError, gatewayErrorBody, IP_RATE_ERROR } from './gateway-errors.ts';

const named = GATEWAY_ERRORS.map((error) => [error.responseType, error] as const);
const catalogue: Readonly<Record<string, { readonly status: number; readonly type: string }>> = ERROR_CODES;

describe('an error that the gateway makes', () => {
  it.each(named)('matches the type and the status in the catalog of errors: %s', (_name, error) => {
    const entry = catalogue[error.code];
    expect(entry?.type).toBe(error.type);
    if (error.status !== undefined) expect(entry?.status).toBe(error.status);
  });

  it.each([...named, ['WAF', IP_RATE_ERROR] as const])(
    'states when to retry if that may help: %s',
    (_name, error) => {
      const { status, retryAfterSeconds } = error;
      expect(retryAfterSeconds !== undefined).toBe(status === 429 || status === 503);
      if (retryAfterSeconds !== undefined) expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    },
  );

  it('covers the API Gateway responses for unknown paths, large bodies, throttling and failed functions', () => {
    expect(GATEWAY_ERRORS.map(({ responseType, status }) => [responseType, status])).toEqual(
      expect.arrayContaining([
        ['DEFAULT_4XX', undefined],
        ['DEFAULT_5XX', undefined],
        ['MISSING_AUTHENTICATION_TOKEN', 404],
        ['REQUEST_TOO_LARGE', 413],
        ['THROTTLED', 429],
        ['INTEGRATION_FAILURE', 503],
        ['INTEGRATION_TIMEOUT', 503],
      ]),
    );
  });
});

describe('the error about a body that is too large', () => {
  it('names the limit of each path, because the gateway does not know the path', () => {
    const message = GATEWAY_ERRORS.find(({ code }) => code === 'request_too_large')?.message;
    for (const limit of ['6 MB', '4 MB', '25 MB']) expect(message).toContain(limit);
  });
});

describe('the body of an error that the gateway makes', () => {
  it.each(named)(
    'matches the envelopes of both surfaces, as the service itself writes them: %s',
    (_name, error) => {
      const body = JSON.parse(gatewayErrorBody(error, 'req_1')) as Record<string, unknown>;
      const serviceError = new ServiceError(error.code as keyof typeof ERROR_CODES, error.message);
      expect(body).toMatchObject(errorBody(serviceError, 'openai', 'req_1'));
      expect(body).toMatchObject(errorBody(serviceError, 'messages', 'req_1'));
    },
  );

  it('omits the request id if no component can fill it in', () => {
    const body = gatewayErrorBody(IP_RATE_ERROR);
    expect(JSON.parse(body)).toEqual({
      type: 'error',
      error: {
        message: 'Too many requests from this address.',
        type: 'rate_limit_error',
        code: 'ip_requests_per_minute',
        param: null,
      },
    });
    // WAF takes custom bodies of up to 4 KB.
    expect(body.length).toBeLessThan(4096);
  });

  it('holds nothing that API Gateway’s templates would read as a variable', () => {
    const written = (error: GatewayError) => gatewayErrorBody(error, '$context.requestId');
    for (const [, error] of named)
      expect(written(error).match(/[$#]\S*?(?=[)"])/g)).toEqual(['$context.requestId', '$context.requestId']);
  });
});
