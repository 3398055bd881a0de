import { describe, expect, it } from '@jest/globals';
import { callFor, JSON_TYPE } from '../../testing/providers/bedrock/calling.ts';
import { CANARY, everythingIn, failureOf } from '../../testing/providers/http-calls.ts';

interface FailureCase {
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as Bedrock answers it: its name in a header, its text in the body. */
const failureFor = (
  status: number,
  { type, message = CANARY, headers = {} }: FailureCase = {},
  stream = false,
) =>
  failureOf(
    callFor(
      {
        status,
        headers: {
          ...JSON_TYPE,
          ...(type === undefined ? {} : { 'x-amzn-errortype': `${type}:http://internal/` }),
          ...headers,
        },
        body: [Buffer.from(JSON.stringify({ message }))],
      },
      { stream },
    ),
  );

describe('an error response of Bedrock', () => {
  it.each([
    'messages.1.content.0.text: Field required',
    'The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.',
    'Input is too long for requested model.',
    'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
  ])('forbids another attempt if the request is rejected: %s', async (message) => {
    for (const stream of [false, true])
      expect(await failureFor(400, { type: 'ValidationException', message }, stream)).toMatchObject({
        kind: 'status',
        status: 400,
        retryable: false,
      });
  });

  it.each([
    'The provided model identifier is invalid.',
    'The provided guardrail identifier is invalid.',
    'The guardrail identifier or version provided in the request does not exist.',
    'Invocation of model ID anthropic.claude-opus-4-5 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    'This action doesn’t support the model that you provided. Try again with a supported text or chat model.',
    "This model doesn't support tool use in streaming mode.",
    "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
    'Operation not allowed',
    "data retention mode 'default' is not available for this model",
    'The model returned the following errors: `temperature` is deprecated for this model.',
  ])('lets another route try when it is about the model or what it can do: %s', async (message) => {
    expect(await failureFor(400, { type: 'ValidationException', message })).toMatchObject({
      kind: 'status',
      status: 400,
      retryable: true,
    });
  });

  it.each([
    [400, 'ServiceQuotaExceededException'],
    [400, 'ConflictException'],
    [400, undefined],
    [403, 'AccessDeniedException'],
    [403, 'UnrecognizedClientException'],
    [403, 'ExpiredTokenException'],
    [404, 'ResourceNotFoundException'],
    [408, 'ModelTimeoutException'],
    [424, 'ModelErrorException'],
    [429, 'ThrottlingException'],
    [429, 'ModelNotReadyException'],
    [500, 'InternalServerException'],
    [503, 'ServiceUnavailableException'],
    [502, undefined],
    [529, undefined],
  ])('lets another route try otherwise: %i %s', async (status, type) => {
    for (const stream of [false, true])
      expect(await failureFor(status, type === undefined ? {} : { type }, stream)).toMatchObject({
        kind: 'status',
        status,
        retryable: true,
      });
  });

  it.each([413, 422])('forbids another attempt by its status alone: %i', async (status) => {
    expect(await failureFor(status)).toMatchObject({ kind: 'status', status, retryable: false });
  });

  it('states when the route can be retried, in seconds', async () => {
    const headers = { date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2015 07:28:40 GMT' };
    expect((await failureFor(429, { type: 'ThrottlingException', headers })).retryAfterSeconds).toBe(40);
  });

  it('retains its status if an intermediate server sends an HTML page', async () => {
    const page = {
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: [Buffer.from(`<p>${CANARY}</p>`)],
    };
    for (const stream of [false, true])
      expect(await failureOf(callFor(page, { stream }))).toMatchObject({
        kind: 'status',
        status: 502,
        retryable: true,
      });
  });

  it('repeats nothing of the upstream’s text, however it is inspected', async () => {
    for (const [status, type] of [
      [400, 'ValidationException'],
      [403, 'AccessDeniedException'],
      [429, 'ThrottlingException'],
      [500, undefined],
    ] as const) {
      const headers = { 'retry-after': CANARY, 'x-amzn-requestid': CANARY };
      const failure = await failureFor(status, { ...(type && { type }), headers });
      expect(everythingIn(failure)).not.toContain(CANARY);
      expect(failure.message).toBe(`upstream failure: status ${status}`);
      expect(failure.param).toBeUndefined();
    }
  });
});
