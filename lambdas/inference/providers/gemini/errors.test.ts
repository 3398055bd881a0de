import { expect, it } from '@jest/globals';
import { toFailure } from './errors.ts';

const failureOf = (status: number, error: object) =>
  toFailure(new Response(JSON.stringify({ error: { code: status, ...error } }), { status }));

it('a rejected request returns the reason and the field', async () => {
  const failure = await failureOf(400, {
    status: 'INVALID_ARGUMENT',
    message: 'The input token count (9000) exceeds the maximum number of tokens allowed (8000).',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'contents[0].parts[1].text' }],
      },
    ],
  });
  expect(failure).toMatchObject({ retryable: false, status: 400, param: 'messages' });
  expect(failure.rejection?.overflow).toEqual({ prompt: 9_000, window: 8_000 });
});

it('an error about the key, the region or the limits of the route counts as a failure of the route', async () => {
  const key = { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] };
  expect(await failureOf(400, key)).toMatchObject({ retryable: true, status: 400 });
  expect(await failureOf(400, { status: 'FAILED_PRECONDITION' })).toMatchObject({ retryable: true });
  expect(await failureOf(503, {})).toMatchObject({ retryable: true, status: 503 });
});

it('the delay in RetryInfo becomes the wait before the next request', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }];
  expect(await failureOf(429, { status: 'RESOURCE_EXHAUSTED', details })).toMatchObject({
    status: 429,
    retryAfterSeconds: 35,
    isExhausted: false,
  });
  const nonsense = [{ retryDelay: 'soon' }];
  expect((await failureOf(429, { details: nonsense })).retryAfterSeconds).toBeUndefined();
});
