/** The errors that a caller can meet, through the official SDKs. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { ERROR_CODES, type ErrorCode } from '../../../lambdas/platform/core/errors.ts';
import { withinOneMinute } from '../../../tools/test-kit/waiting.ts';
import { Payer } from '../payer.ts';
import { service, TOO_LARGE } from './service.ts';

const funded = Payer.ofTests(service, '5');

interface Surface {
  readonly name: string;
  readonly path: string;
  /** A request that is served. */
  readonly valid: Readonly<Record<string, unknown>>;
  readonly tools: readonly object[];
  /** The field that bounds the output. */
  readonly bound: string;
  /** The request with this text. */
  readonly saying: (text: string) => { readonly fields: object; readonly param: string };
}

const inMessages = (content: string) => ({
  fields: { messages: [{ role: 'user', content }] },
  param: 'messages',
});
const hello = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] };
const SURFACES: readonly Surface[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    valid: hello,
    tools: [{ type: 'function', function: { name: 'f' } }],
    bound: 'max_tokens',
    saying: inMessages,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    valid: hello,
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    bound: 'max_tokens',
    saying: inMessages,
  },
  {
    name: 'responses',
    path: '/v1/responses',
    valid: { model: 'sim/chat', input: 'Hi' },
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
    bound: 'max_output_tokens',
    saying: (input) => ({ fields: { input }, param: 'input' }),
  },
];

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the request that causes an error. */
type Provoke = (surface: Surface) => Promise<Request> | Request;

const withBody = (fields: object, key?: string): Provoke => {
  return ({ valid }) => ({
    body: JSON.stringify({ ...valid, ...fields }),
    ...(key === undefined ? {} : { key }),
  });
};
const withAccount = (credits: string, policy: object, warm = false): Provoke => {
  return async (surface) => {
    const { key } = await service.account(credits, policy);
    if (warm) await send(surface, { key });
    return { key };
  };
};

interface Case {
  readonly provoke: Provoke;
  /** The field that the error names, if it names one. */
  readonly param?: string | ((surface: Surface) => string);
  /** The one surface that has it. */
  readonly only?: string;
}

/** Sealed by another service. */
const FOREIGN_TOKEN = `uis1i_${'A'.repeat(80)}`;

const CASES: Readonly<Partial<Record<ErrorCode, Case>>> = {
  invalid_json: { provoke: () => ({ body: '{"model":' }) },
  missing_field: { provoke: withBody({ model: undefined }), param: 'model' },
  invalid_value: {
    provoke: ({ valid, bound }) => ({ body: JSON.stringify({ ...valid, [bound]: -1 }) }),
    param: ({ bound }) => bound,
  },
  unsupported_media_type: { provoke: () => ({ headers: { 'content-type': 'text/plain' } }) },
  model_not_found: { provoke: withBody({ model: 'no/such' }), param: 'model' },
  unsupported_by_model: {
    provoke: ({ valid, tools }) => ({ body: JSON.stringify({ ...valid, model: 'sim/chat-plain', tools }) }),
    param: 'model',
  },
  unpriced_feature: { provoke: withBody({ service_tier: 'priority' }), param: 'service_tier' },
  prompt_too_long: {
    provoke: ({ valid, saying }) => ({
      body: JSON.stringify({
        ...valid,
        ...saying('a word'.repeat(200_000)).fields,
        // A small window; no tokenizer has tokens so long that the text fits.
        model: 'sim/chat-plain',
      }),
    }),
    param: ({ saying }) => saying('').param,
  },
  invalid_capsule: {
    provoke: withBody({
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: FOREIGN_TOKEN },
      ],
    }),
    param: 'input[1].encrypted_content',
    only: 'responses',
  },
  state_not_kept: {
    provoke: withBody({ previous_response_id: 'resp_1' }),
    param: 'previous_response_id',
    only: 'responses',
  },
  websocket_unsupported: { provoke: () => ({ method: 'GET' }), only: 'responses' },
  idempotency_key_reused: {
    provoke: async (surface) => {
      const headers = { 'idempotency-key': `once on ${surface.name}`.replaceAll(' ', '-') };
      await send(surface, { headers });
      return { headers, body: JSON.stringify({ ...surface.valid, [surface.bound]: 7 }) };
    },
    param: 'Idempotency-Key',
  },
  missing_api_key: { provoke: () => ({ key: null }) },
  invalid_api_key: { provoke: () => ({ key: 'uis_nonsense' }) },
  insufficient_credit: { provoke: withAccount('0', {}) },
  daily_usd_exceeded: { provoke: withAccount('1', { daily_usd: '0.000001' }) },
  monthly_usd_exceeded: { provoke: withAccount('1', { monthly_usd: '0.000001' }) },
  model_not_allowed: { provoke: withAccount('1', { allowed_models: ['sim/chat-large'] }), param: 'model' },
  kind_not_allowed: { provoke: withAccount('1', { allowed_kinds: ['tts'] }) },
  unknown_path: { provoke: ({ path }) => ({ path: `${path}/nothing` }) },
  method_not_allowed: { provoke: () => ({ method: 'DELETE' }) },
  request_too_large: { provoke: withBody({ pad: 'x'.repeat(TOO_LARGE) }) },
  requests_per_minute: { provoke: withAccount('1', { rpm: 1 }, true) },
  tokens_per_minute: { provoke: withAccount('1', { tpm: 10 }) },
  all_routes_failed: { provoke: withBody({ model: 'sim/chat-down' }) },
};

const codesOf = (pattern: RegExp) =>
  (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => pattern.test(code));

/** Not of a conversation with a model, or not to be met while the service is whole. */
const ELSEWHERE: readonly ErrorCode[] = [
  'not_found',
  'internal_error',
  'overloaded',
  'idempotent_request_in_progress',
  'conflict',
  'file_too_large',
  'unsupported_file_type',
  'operator_only',
  'not_owner',
  'missing_session',
  'invalid_session',
  'invalid_token',
  'invalid_signature',
  'identity_provider_unavailable',
  'payment_provider_unavailable',
  'price_changed',
  'subscription_only',
  'already_subscribed',
  'upgrade_unfinished',
  'not_customer',
  'insufficient_earnings',
  'payouts_disabled',
  'builds_disabled',
  'build_quarantined',
  'maintenance',
  'outdated_version',
  // Refusals of a route, whose tests are those of long prompts and of Azure.
  'context_length_exceeded',
  'content_filter',
  ...codesOf(/_quota$/),
];

function send(surface: Surface, request: Request = {}): Promise<Response> {
  const { method = 'POST', path = surface.path, key = funded.key, headers = {} } = request;
  return service.fetch(path, {
    method,
    key,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' ? { body: request.body ?? JSON.stringify(surface.valid) } : {}),
  });
}

/** The typed exception that either SDK throws for a status. */
const EXCEPTIONS: Readonly<Record<number, keyof typeof OpenAI & keyof typeof Anthropic>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  503: 'InternalServerError',
};

/** The exception that an SDK makes of exactly this answer. */
async function thrownBy(surface: Surface, response: Response, text: string): Promise<unknown> {
  const replay = async () => new Response(text, { status: response.status, headers: response.headers });
  const options = { apiKey: 'replayed', maxRetries: 0, fetch: replay };
  const openai = () => new OpenAI({ ...options, baseURL: 'http://localhost/v1' });
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    chat: () => openai().chat.completions.create({ model: 'm', messages: [] }),
    responses: () => openai().responses.create({ model: 'm', input: [] }),
    messages: () =>
      new Anthropic({ ...options, baseURL: 'http://localhost' }).messages.create({
        model: 'm',
        max_tokens: 1,
        messages: [],
      }),
  };
  return calls[surface.name]?.().then(
    () => undefined,
    (failure: unknown) => failure,
  );
}

const codes = Object.keys(CASES) as ErrorCode[];

describe('the catalogue of errors', () => {
  it('lists a case for each code that a model call can cause', () => {
    expect([...codes, ...ELSEWHERE].sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });
});

describe.each(SURFACES)('the $name surface', (surface) => {
  const ownCodes = codes.filter((code) => (CASES[code]?.only ?? surface.name) === surface.name);

  it.each(ownCodes)('returns %s with its status, type, envelope and typed exception', async (code) => {
    const { provoke, param: field }: Case = CASES[code] ?? { provoke: () => ({}) };
    const param = typeof field === 'function' ? field(surface) : (field ?? null);
    const response = await withinOneMinute(async () => send(surface, await provoke(surface)));
    const text = await response.text();
    const { status, type } = ERROR_CODES[code];
    expect({ status: response.status, text }).toMatchObject({ status });
    const body = JSON.parse(text) as { error: { message: string } };
    const requestId = response.headers.get('x-request-id') ?? 'none';
    expect(body.error.message).toContain(requestId);
    if (surface.name === 'messages') {
      const message = body.error.message;
      expect(body).toMatchObject({ type: 'error', error: { type, message }, request_id: requestId });
    } else {
      // An error that the gateway makes itself is both envelopes at once.
      expect(body.error).toEqual({ type, code, param, message: body.error.message });
    }
    if (status === 429 || status === 503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);

    const failure = await thrownBy(surface, response, text);
    const sdk = surface.name === 'messages' ? Anthropic : OpenAI;
    expect(failure).toBeInstanceOf(sdk[EXCEPTIONS[status] ?? 'APIError']);
    if (surface.name === 'messages') expect(failure).toMatchObject({ status, type });
    else expect(failure).toMatchObject({ status, code, type, param });
  });
});
