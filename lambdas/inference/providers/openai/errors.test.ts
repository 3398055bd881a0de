import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { CANARY, everythingIn } from '../../testing/providers/http-calls.ts';
import { toFailure } from './errors.ts';

/** An error as OpenAI writes it (OpenAI API reference, Error codes). */
const body = (param: unknown): string =>
  JSON.stringify({ error: { message: `${CANARY}: no`, type: 'invalid_request_error', param, code: CANARY } });

const failureOf = (status: number, init: { text?: string; headers?: Record<string, string> } = {}) =>
  toFailure(new Response(init.text ?? body(null), { status, headers: init.headers ?? {} }));

describe('an error response', () => {
  it.each([400, 413, 422])('forbids another attempt if the route rejects the request: %i', async (status) => {
    expect(await failureOf(status)).toMatchObject({ kind: 'status', status, retryable: false });
  });

  it.each([401, 402, 403, 404, 405, 408, 409, 418, 425, 429, 451, 498, 500, 501, 502, 503, 504, 520, 529])(
    'lets another route try otherwise: %i',
    async (status) => {
      expect(await failureOf(status)).toMatchObject({ kind: 'status', status, retryable: true });
    },
  );

  it.each([
    ['1', 1],
    ['17', 17],
    [' 17 ', 17],
    ['0', 1],
    ['999999', 999_999],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 1],
  ])('states when the route can be retried: Retry-After %j', async (value, seconds) => {
    expect((await failureOf(429, { headers: { 'retry-after': value } })).retryAfterSeconds).toBe(seconds);
  });

  it.each([
    [['body', 'messages', 0, 'content'], 'messages[0].content'],
    [['body', 'temperature'], 'temperature'],
    [['query', 'temperature'], undefined],
    [['body', CANARY], undefined],
    ['body', undefined],
  ])('names the field that a FastAPI server rejects, and no other name: %j', async (loc, param) => {
    const text = JSON.stringify({ detail: [{ loc, msg: CANARY, type: 'missing' }] });
    const failure = await failureOf(422, { text });
    expect([failure.param, failure.rejection]).toEqual([param, { reason: '' }]);
  });

  it.each(['', '-1', '1.5', '1e3', '0x10', 'soon', '10000000000', '2015-10-21'])(
    'omits the retry time if the value is neither seconds nor a date: Retry-After %j',
    async (value) => {
      expect((await failureOf(429, { headers: { 'retry-after': value } })).retryAfterSeconds).toBeUndefined();
    },
  );

  it('yields a wait from a date in Retry-After by the clock of the response, which may be wrong', async () => {
    const headers = { date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2015 07:28:40 GMT' };
    expect((await failureOf(429, { headers })).retryAfterSeconds).toBe(40);
    const inHalfAMinute = new Date(Date.now() + 30_000).toUTCString();
    const { retryAfterSeconds } = await failureOf(429, { headers: { 'retry-after': inHalfAMinute } });
    expect(retryAfterSeconds).toBeGreaterThan(25);
    expect(retryAfterSeconds).toBeLessThan(31);
  });

  it.each([
    [{ type: 'insufficient_quota', code: 'project_spend_limit_exceeded' }, true],
    [{ type: 'insufficient_quota', code: 'insufficient_quota' }, true],
    [{ type: 'exceeded_current_quota_error' }, true],
    [{ type: 'rate_limit_error', code: 'enforced_spend_limit_reached' }, true],
    [{ type: 'requests', code: 'rate_limit_exceeded' }, false],
    [{ message: 'You exceeded your current quota', type: 'tokens' }, false],
    ['insufficient_quota', false],
    [undefined, false],
  ])('shows an exhausted account on a 429 by its type or code: %j', async (error, isExhausted) => {
    const text = JSON.stringify({ error });
    expect(await failureOf(429, { text })).toMatchObject({ status: 429, retryable: true, isExhausted });
    expect(await failureOf(503, { text })).toMatchObject({ isExhausted: false });
  });

  it('omits the retry time without Retry-After', async () => {
    expect((await failureOf(503)).retryAfterSeconds).toBeUndefined();
  });

  it.each([
    'model',
    'max_tokens',
    'messages[2].content',
    'messages[0].content',
    'messages[0].content[1].image_url.url',
    'messages.0.content',
    'tools[12].function.parameters',
  ])('names the rejected field: %s', async (param) => {
    expect((await failureOf(400, { text: body(param) })).param).toBe(param);
  });

  it.each([
    `messages[0].${CANARY}`,
    'Bearer sk-live-1234',
    'https://internal.example/v1',
    'messages[0].content is too long: hello',
    'messages\n',
    // Words in the place of a field's name that are not field names.
    'heron_node',
    'messages[0].heron_node',
    'model\u0000',
    'Messages',
    'a'.repeat(65),
    'a[12345]',
    `a${'.b'.repeat(9)}`,
    '',
    '.model',
    'messages[0',
    '__proto__: x',
    7,
    null,
    ['model'],
    { toString: 'model' },
  ])('names no field that is not plainly one: %j', async (param) => {
    expect((await failureOf(400, { text: body(param) })).param).toBeUndefined();
  });

  it.each([
    '',
    'null',
    '[]',
    '"model"',
    '{"error":null}',
    '{"error":"model"}',
    '<html>',
    '{"error":{"param":',
  ])('names no field when its body is of another form: %s', async (text) => {
    const failure = await failureOf(400, { text });
    expect(failure).toMatchObject({ status: 400, retryable: false, param: undefined });
  });

  it('names no field when another route may still take the request', async () => {
    expect((await failureOf(404, { text: body('model') })).param).toBeUndefined();
  });

  it('repeats nothing of the upstream’s text, however it is inspected', async () => {
    for (const status of [400, 401, 429, 500]) {
      const failure = await failureOf(status, { text: body(CANARY), headers: { 'retry-after': CANARY } });
      expect(everythingIn(failure)).not.toContain(CANARY);
      expect(failure.message).toBe(`upstream failure: status ${status}`);
    }
  });

  it('yields no field if its body is longer than the limit, with or without a declared length', async () => {
    const large = JSON.stringify({ error: { message: 'x'.repeat(128 * 1024), param: 'model' } });
    const declared = { text: large, headers: { 'content-length': String(large.length) } };
    expect((await failureOf(400, declared)).param).toBeUndefined();
    expect((await failureOf(400, { text: large })).param).toBeUndefined();
  });

  it('never fails to be read, whatever its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        const failure = await toFailure(new Response(Uint8Array.from(bytes), { status: 422 }));
        expect(failure.status).toBe(422);
      }),
      { numRuns: 100 },
    );
  });
});
