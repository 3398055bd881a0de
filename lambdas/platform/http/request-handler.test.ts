import { describe, expect, it } from '@jest/globals';
import type { Surface } from '../contract/route.ts';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../core/errors.ts';
import { jsonResponse } from '../core/json/json-response.ts';
import type { Clock, Log, Measurement, StreamedResponse, StreamingEndpoint } from '../core/ports.ts';
import type { StageCheck } from '../core/stage-check.ts';
import { webHandler } from '../testing/web-response.ts';
import { createRequestHandler, type HostContext } from './request-handler.ts';

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const REQUEST_ID = `req_${ULID}`;
const CANARY = 'heron-7f3a';
const SURFACES: readonly Surface[] = ['openai', 'messages', 'platform'];

const NO_TIMER = () => () => {};

interface Line {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly measured: Measurement | undefined;
}

/** A handler of that endpoint, one call of it, and what it logs. */
function handling(endpoint: StreamingEndpoint, surface: Surface = 'openai', clock: Clock = () => 0) {
  const lines: Line[] = [];
  const line =
    (level: keyof Log): Log['info'] =>
    (message, fields = {}, measured = undefined) =>
      void lines.push({ level, message, fields, measured });
  const log: Log = { info: line('info'), warn: line('warn'), error: line('error') };
  const dependencies = { clock, after: NO_TIMER, ulid: () => ULID, log };
  const handler = webHandler(createRequestHandler(endpoint, surface, dependencies));
  const respond = (context: Partial<HostContext> = {}) =>
    handler(new Request('https://localhost/v1/models?secret=1'), {
      pathParameters: { model: 'a/b' },
      remainingTimeMs: () => 28_000,
      ...context,
    });
  return { lines, respond };
}

/** The whole response of one call, with what it logged. */
async function call(endpoint: StreamingEndpoint, surface?: Surface) {
  let nowMs = 1_000;
  const { lines, respond } = handling(endpoint, surface, () => (nowMs += 40));
  const response = await respond();
  return { response, lines, text: await response.clone().text() };
}

const failing =
  (failure: unknown): StreamingEndpoint =>
  async () => {
    throw failure;
  };

describe('a request handler', () => {
  it('hands the endpoint the request, a request id, the path parameters and the time that is left', async () => {
    const { response } = await call(async (request, { requestId, pathParameters, remainingTimeMs }) =>
      jsonResponse({ url: request.url, requestId, pathParameters, left: remainingTimeMs() }),
    );
    expect(await response.json()).toEqual({
      url: 'https://localhost/v1/models?secret=1',
      requestId: REQUEST_ID,
      pathParameters: { model: 'a/b' },
      left: 28_000,
    });
  });

  it('finds nothing by a name that is longer than any key of the database', async () => {
    const ask = (name: string) =>
      handling(async () => ({ headers: {}, text: name })).respond({ pathParameters: { id: name } });
    expect(await (await ask('é'.repeat(256))).text()).toBe('é'.repeat(256));
    const response = await ask('é'.repeat(257));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'unknown_path' } });
  });

  it('adds the request id to every response, successful or not', async () => {
    const endpoints = [
      async () => ({ status: 201, headers: {}, text: 'fine' }),
      failing(new ServiceError('unknown_path', 'No.')),
      failing(new Error(CANARY)),
    ];
    for (const endpoint of endpoints) {
      const { response } = await call(endpoint);
      expect(response.headers.get('x-request-id')).toBe(REQUEST_ID);
      expect(response.headers.get('request-id')).toBe(REQUEST_ID);
    }
  });

  it('requests HTTPS for further calls, and forbids guesses of the type, with every response, successful or not', async () => {
    for (const endpoint of [async () => ({ headers: {}, text: 'fine' }), failing(new Error(CANARY))]) {
      const { response } = await call(endpoint);
      expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  describe('of something deprecated', () => {
    const ROUTE = { since: '2027-01-01', sunset: '2028-01-01', link: 'https://docs.example.com/route' };
    const FIELD = { since: '2026-12-31', sunset: '2029-06-30', link: 'https://docs.example.com/field' };
    const headersOf = async (endpoint: StreamingEndpoint) => {
      const { headers } = (await call(endpoint)).response;
      return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));
    };
    const ROUTE_HEADERS = [
      '@1798761600',
      'Sat, 01 Jan 2028 00:00:00 GMT',
      '<https://docs.example.com/route>; rel="deprecation"; type="text/html"',
    ];

    it.each<[string, StreamingEndpoint]>([
      ['a response', async () => ({ headers: {}, text: 'fine' })],
      ['a stream', async () => ({ headers: {}, body: (async function* () {})() })],
      ['an error', failing(new ServiceError('unknown_path', 'No.'))],
    ])('states its date, its end and its replacement with %s', async (_name, endpoint) => {
      const deprecated: StreamingEndpoint = (request, context) => {
        context.deprecate?.(ROUTE);
        return endpoint(request, context);
      };
      expect(await headersOf(deprecated)).toEqual(ROUTE_HEADERS);
      expect(await headersOf(endpoint)).toEqual([null, null, null]);
    });

    it('states the earliest dates, and every replacement, if a request uses several', async () => {
      const headers = await headersOf(async (_request, { deprecate }) => {
        for (const each of [ROUTE, FIELD]) deprecate?.(each);
        return { headers: {}, text: 'fine' };
      });
      expect(headers).toEqual([
        '@1798675200',
        ROUTE_HEADERS[1],
        `${ROUTE_HEADERS[2]}, <https://docs.example.com/field>; rel="deprecation"; type="text/html"`,
      ]);
    });
  });

  it('leaves status, headers and body of a response unchanged', async () => {
    const { response, text } = await call(async () => ({
      status: 203,
      headers: { 'x-a': 'b' },
      text: 'hello',
    }));
    expect([response.status, response.headers.get('x-a'), text]).toEqual([203, 'b', 'hello']);
  });

  it('returns a stream before it is read', async () => {
    async function* body() {
      yield 'first';
      await new Promise(() => {});
    }
    const response = await handling(async () => ({ headers: {}, body: body() })).respond();
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe('first');
  });

  it('logs the request id of the gateway and Lambda, if there is one', async () => {
    const { lines, respond } = handling(async () => ({ status: 204, headers: {}, text: '' }));
    await respond({ functionRequestId: '5f1c-22' });
    expect(lines.map(({ fields }) => fields)).toEqual([
      { requestId: REQUEST_ID, functionRequestId: '5f1c-22', status: 204, ms: 0 },
    ]);
  });

  it('logs the fields that the endpoint adds, with the code of an error', async () => {
    const { lines } = await call(async (_request, { note }) => {
      note?.({ model: 'sim/chat' });
      note?.({ model: 'sim/chat-large', usd: '0.1' });
      throw new ServiceError('all_routes_failed', 'None.');
    });
    expect(lines.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        status: 503,
        code: 'all_routes_failed',
        model: 'sim/chat-large',
        usd: '0.1',
      }),
    ]);
  });

  it('logs one line a call: id, status, duration, and nothing of the request', async () => {
    const { lines } = await call(async () => ({ status: 204, headers: {}, text: '' }));
    expect(lines).toEqual([
      { level: 'info', message: 'answered', fields: { requestId: REQUEST_ID, status: 204, ms: 40 } },
    ]);
  });
});

const errorCount = (type: string, isFault: boolean, more: Record<string, number> = {}): Measurement => ({
  values: { Errors: 1, ...(isFault ? { RequestsFailed: 1 } : {}), ...more },
  dimensions: { error_type: type },
});

describe('an error', () => {
  const options = {
    param: 'messages[2].content',
    retryAfterSeconds: 7,
    headers: { 'x-ratelimit-limit-requests': '60' },
    cause: new Error(CANARY),
  };

  it.each(Object.entries(ERROR_CODES))(
    'returns its status and type in OpenAI’s envelope, and counts by its type: %s',
    async (code, { status, type }) => {
      const { response, text, lines } = await call(
        failing(new ServiceError(code as ErrorCode, 'What is wrong.', options)),
      );
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(JSON.parse(text)).toEqual({
        error: {
          message: `What is wrong. (request id: ${REQUEST_ID})`,
          type,
          code,
          param: 'messages[2].content',
        },
      });
      // To repeat a request that is still in progress is the caller's fault, and maintenance is intended.
      const isFault = status >= 500 && !['idempotent_request_in_progress', 'maintenance'].includes(code);
      // Only these two may come from a release.
      const isOfOthers = status >= 500 && !['internal_error', 'overloaded'].includes(code);
      expect(lines.at(-1)?.measured).toEqual(
        errorCount(type, isFault, isOfOthers ? { FailuresOfOthers: 1 } : {}),
      );
    },
  );

  it('counts no failure of others in a function, which would hide failures of a host', async () => {
    const { lines, respond } = handling(failing(new ServiceError('all_routes_failed', 'None.')));
    await respond({ functionRequestId: '5f1c-22' });
    expect(lines.at(-1)?.measured).toEqual(errorCount('service_unavailable', true));
  });

  it('uses Anthropic’s envelope on the Messages surface', async () => {
    const failure = new ServiceError('insufficient_credit', 'Too little.', options);
    const { response, text } = await call(failing(failure), 'messages');
    expect(response.status).toBe(402);
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { type: 'billing_error', message: `Too little. (request id: ${REQUEST_ID})` },
      request_id: REQUEST_ID,
    });
  });

  it('uses OpenAI’s envelope on the platform, with a null param if there is none', async () => {
    const { text } = await call(failing(new ServiceError('not_found', 'None.')), 'platform');
    expect(JSON.parse(text)).toEqual({
      error: {
        message: `None. (request id: ${REQUEST_ID})`,
        type: 'not_found_error',
        code: 'not_found',
        param: null,
      },
    });
  });

  it.each(SURFACES)('contains Retry-After and its own headers in the %s format', async (surface) => {
    const { response } = await call(
      failing(new ServiceError('requests_per_minute', 'Slow down.', options)),
      surface,
    );
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('60');
  });

  it('omits Retry-After if waiting does not help, and causes no error line in the log if the caller caused it', async () => {
    const { response, lines } = await call(failing(new ServiceError('invalid_json', 'No.')));
    expect(response.headers.get('retry-after')).toBeNull();
    expect(lines.map(({ level }) => level)).toEqual(['info']);
  });
});

class Canary extends Error {
  readonly detail = CANARY;
  constructor() {
    super(`cannot reach ${CANARY}`, { cause: new Error(`because of ${CANARY}`) });
    this.name = 'CanaryError';
    this.stack = `CanaryError: ${CANARY}\n    at ${CANARY}.ts:1:1`;
  }
}

describe('an internal error', () => {
  const failures: readonly (readonly [string, unknown])[] = [
    ['an error with message, cause and stack', new Canary()],
    ['an aggregate', new AggregateError([new Canary()], CANARY)],
    [
      'a service error whose cause is internal',
      new ServiceError('internal_error', 'The service failed.', { cause: new Canary() }),
    ],
    ['a string', CANARY],
    ['an object', { message: CANARY, status: 404 }],
    ['undefined', undefined],
    ['null', null],
  ];

  it.each(
    SURFACES.flatMap((surface) => failures.map(([name, failure]) => [surface, name, failure] as const)),
  )(
    'returns 500 on the %s surface without any detail of the failure: %s',
    async (surface, _name, failure) => {
      const { response, text } = await call(failing(failure), surface);
      expect(response.status).toBe(500);
      expect(text).not.toContain(CANARY);
      expect(JSON.stringify([...response.headers])).not.toContain(CANARY);
      expect(JSON.parse(text).error).toMatchObject({
        type: 'api_error',
        message: expect.stringContaining(REQUEST_ID),
      });
    },
  );

  it('returns 500 if an endpoint throws synchronously, and counts as one of no type if the endpoint makes it', async () => {
    const { response, lines } = await call(() => {
      throw new Canary();
    });
    expect(response.status).toBe(500);
    expect(lines.at(-1)?.measured).toEqual(errorCount('api_error', true));
    const unhealthy = await call(async () => ({ status: 503, headers: {}, text: '' }));
    expect(unhealthy.lines.at(-1)?.measured).toEqual(errorCount('none', false));
  });

  it('appears in the log with the request id, its name and its location', async () => {
    const { lines } = await call(failing(new Canary()));
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(lines[0]?.fields).toMatchObject({
      requestId: REQUEST_ID,
      name: 'CanaryError',
      stack: expect.stringContaining('.ts:1:1'),
    });
  });

  it('returns 503 with Retry-After if it is a transient failure of AWS, and is logged without its message', async () => {
    const failure = Object.assign(new Error(CANARY), { name: 'TimeoutError', $metadata: { attempts: 3 } });
    const { response, text, lines } = await call(failing(failure));
    expect(response.status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'service_unavailable', code: 'overloaded' } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(lines[0]).toMatchObject({
      level: 'error',
      message: 'overloaded',
      fields: { name: 'TimeoutError' },
    });
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });

  it('appears in the log with the words of AWS if AWS itself failed', async () => {
    const failure = Object.assign(new Error('database or disk is full'), { $fault: 'server', $metadata: {} });
    const { lines, text } = await call(failing(failure));
    expect(lines[0]?.fields).toMatchObject({ reason: 'database or disk is full' });
    expect(text).not.toContain('disk');
  });
});

const ENVELOPES = { openai: 'data: ', messages: 'event: error\ndata: ' } as const;

/** A stream of events with these chunks, which then fails or ends. */
function streaming(
  chunks: readonly string[],
  {
    failure,
    surface = 'openai',
  }: { readonly failure?: unknown; readonly surface?: 'openai' | 'messages' } = {},
): StreamedResponse {
  async function* stream() {
    yield* chunks;
    if (failure !== undefined) throw failure;
  }
  const errorEvent = (envelope: unknown) => `${ENVELOPES[surface]}${JSON.stringify(envelope)}\n\n`;
  return { headers: { 'x-route': 'a' }, body: stream(), events: { heartbeat: ': \n\n', errorEvent } };
}

describe('a streamed response', () => {
  it('states in its headers that it is a stream of events, next to its own, or else has its own only', async () => {
    const { response } = await call(async () => streaming([]));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-route': 'a',
    });
    const { events: _, ...bytes } = streaming([]);
    const headers = { 'content-type': 'audio/mpeg' };
    const audio = (await call(async () => ({ ...bytes, headers }))).response;
    expect([audio.headers.get('content-type'), audio.headers.get('cache-control')]).toEqual([
      'audio/mpeg',
      null,
    ]);
  });

  const routesFailed = () => new ServiceError('all_routes_failed', 'The route broke off.');

  it('appears in the log after it has ended, with its time to the first chunk', async () => {
    let deliver = (_chunk: string) => {};
    const chunk = new Promise<string>((resolve) => {
      deliver = resolve;
    });
    async function* chunks() {
      yield await chunk;
      yield 'data: [DONE]\n\n';
    }
    let nowMs = 1_000;
    const endpoint = async () => ({ ...streaming([]), body: chunks() });
    const { lines, respond } = handling(endpoint, 'openai', () => nowMs);
    const response = await respond();
    const text = response.text();
    nowMs += 700;
    expect(lines).toEqual([]);
    deliver('data: 1\n\n');
    expect(await text).toBe('data: 1\n\ndata: [DONE]\n\n');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'answered',
        fields: { requestId: REQUEST_ID, status: 200, outcome: 'completed', ms: 700 },
        measured: { values: { TimeToFirstTokenMs: 700 } },
      },
    ]);
  });

  it.each([
    ['after its first chunk', ['data: 1\n\n']],
    ['as its first chunk', []],
  ])(
    'counts as an error of its type if it fails %s, with no time to the first chunk',
    async (_when, chunks) => {
      for (const surface of ['openai', 'messages'] as const) {
        const { lines, text } = await call(
          async () => streaming(chunks, { failure: routesFailed(), surface }),
          surface,
        );
        expect(text.startsWith(chunks.join(''))).toBe(true);
        const error = JSON.parse(text.slice(chunks.join('').length).replace(ENVELOPES[surface], ''));
        expect(error.error).toMatchObject({
          type: 'service_unavailable',
          message: `The route broke off. (request id: ${REQUEST_ID})`,
        });
        expect(lines).toEqual([
          expect.objectContaining({
            level: 'info',
            message: 'answered',
            fields: expect.objectContaining({ status: 200, outcome: 'failed', code: 'all_routes_failed' }),
            measured: errorCount('service_unavailable', true),
          }),
        ]);
      }
    },
  );

  it('appears in the log with the name and stack of a defect, and reveals nothing of it to the caller', async () => {
    const { lines, text } = await call(async () => streaming(['data: 1\n\n'], { failure: new Canary() }));
    expect(text).toContain('"code":"internal_error"');
    expect(text).not.toContain(CANARY);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'internal error'],
      ['info', 'answered'],
    ]);
    expect(lines[0]?.fields).toMatchObject({
      requestId: REQUEST_ID,
      name: 'CanaryError',
      stack: expect.stringContaining('.ts:1:1'),
    });
    expect(lines[1]?.measured).toEqual(errorCount('api_error', true));
  });

  it('breaks off if it consists of bytes and fails, and counts as an error all the same', async () => {
    async function* bytes() {
      yield new Uint8Array([1]);
      throw routesFailed();
    }
    const { lines, respond } = handling(async () => ({ headers: {}, body: bytes() }));
    const response = await respond();
    await expect(response.bytes()).rejects.toThrow('The route broke off.');
    expect(lines.map(({ measured }) => measured)).toEqual([errorCount('service_unavailable', true)]);
  });

  it('appears in the log as canceled if its reader leaves, or as failed if its settlement fails', async () => {
    for (const [failure, expected] of [
      [undefined, { outcome: 'cancelled' }],
      [new Error(CANARY), { outcome: 'failed', code: 'internal_error' }],
    ] as const) {
      async function* chunks() {
        try {
          yield 'data: 1\n\n';
          yield 'data: 2\n\n';
        } finally {
          if (failure !== undefined) await Promise.reject(failure);
        }
      }
      const { lines, respond } = handling(async () => ({ ...streaming([]), body: chunks() }));
      const response = await respond();
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      expect(lines.at(-1)?.fields).toMatchObject(expected);
      expect(lines.map(({ level }) => level)).toEqual(failure === undefined ? ['info'] : ['error', 'info']);
    }
  });
});

describe('a process that may not serve its stage', () => {
  const closed: StageCheck['check'] = (use) =>
    use === 'read'
      ? undefined
      : Promise.reject(new ServiceError('maintenance', 'Closed.', { retryAfterSeconds: 30 }));
  const outdated = () => Promise.reject(new ServiceError('outdated_version', 'Old.'));
  const send = async (method: string, check: StageCheck['check']) => {
    let served = 0;
    const endpoint = async () => {
      served += 1;
      return jsonResponse({});
    };
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const dependencies = { clock: () => 0, after: NO_TIMER, ulid: () => ULID, log, stage: { check } };
    const handler = webHandler(createRequestHandler(endpoint, 'messages', dependencies));
    const request = new Request('https://localhost/', { method });
    const response = await handler(request, { pathParameters: {}, remainingTimeMs: () => 1 });
    return { response, served };
  };

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('rejects %s before its endpoint if closed', async (method) => {
    const { response, served } = await send(method, closed);
    expect([response.status, response.headers.get('retry-after'), served]).toEqual([503, '30', 0]);
    expect(await response.json()).toMatchObject({ error: { type: 'service_unavailable' } });
  });

  it('serves GET if the stage is closed, and nothing if its data is newer', async () => {
    expect((await send('GET', closed)).served).toBe(1);
    const { response, served } = await send('GET', outdated);
    expect([response.status, served]).toEqual([503, 0]);
  });

  it('serves every method of an open stage', async () => {
    for (const open of [() => undefined, () => Promise.resolve()])
      expect((await send('POST', open)).served).toBe(1);
  });
});
