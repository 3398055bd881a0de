import { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { lambdaEvent } from '../testing/lambda-event.ts';
import { consumer } from './consumers.ts';
import { buffered, streamed } from './pipelines.ts';
import type { Handler } from './request-handler.ts';
import type { StreamedBody } from './streamed-response.ts';

/**
 * The handler of a streaming function, as the Lambda runtime creates it (AWS Lambda developer guide, response streaming
 * for Node.js).
 */
type StreamHandler = (event: APIGatewayProxyEvent, stream: ResponseStream, context: Context) => Promise<void>;

interface Metadata {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer extends Metadata {
  readonly body: string;
}

type BufferedHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<Answer>;

/** The limit of what a stream holds before it asks the writer to wait. */
const HIGH_WATER_MARK = 16;

/** API Gateway takes what stands before eight NUL bytes for status and headers, what follows for the body. */
const DELIMITER = '\0'.repeat(8);

/** Lambda's response stream: the metadata leave with the first write, an empty one included, and not before. */
class ResponseStream extends Transform {
  metadata: Metadata | undefined;
  #left = false;

  constructor() {
    super({ highWaterMark: HIGH_WATER_MARK });
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, data: Buffer) => void): void {
    if (!this.#left) this.push(JSON.stringify(this.metadata) + DELIMITER);
    this.#left = true;
    done(null, chunk);
  }
}

beforeAll(() => {
  const awslambda = {
    streamifyResponse: (handler: StreamHandler) => handler,
    HttpResponseStream: {
      from: (stream: ResponseStream, metadata: Metadata) => Object.assign(stream, { metadata }),
    },
  };
  Object.assign(globalThis, { awslambda });
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'awslambda');
});

const context = { getRemainingTimeInMillis: () => 27_500 } as Context;

/** Invokes a streaming function; the client's side of the stream is the test's to read. */
function invokeStreamed(handler: Handler, event = lambdaEvent()) {
  const stream = new ResponseStream();
  const done = (streamed(handler) as unknown as StreamHandler)(event, stream, context);
  return { stream, done };
}

/** Reads the answer to its end, as API Gateway does. */
async function readResponse(stream: ResponseStream): Promise<Answer> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const [metadata = '', body = '', ...remaining] = text.split(DELIMITER);
  if (remaining.length > 0) throw new Error('the metadata were written twice');
  return { ...(JSON.parse(metadata) as Metadata), body };
}

/** A streamed response of these chunks, and whether its reader has left. */
function streamedOf(chunks: AsyncIterable<string | Uint8Array>, status = 200) {
  const source = chunks[Symbol.asyncIterator]();
  let hasLeft = false;
  const body: StreamedBody = {
    async run({ write }) {
      for (let next = await source.next(); !next.done && !hasLeft; next = await source.next())
        await write(next.value);
    },
    async cancel() {
      await turn();
      hasLeft = true;
    },
  };
  const handler: Handler = async () => ({ status, headers: {}, body });
  return { handler, hasLeft: () => hasLeft };
}

const invokeBuffered = (handler: Handler, event = lambdaEvent(), of = context) =>
  (buffered(handler) as unknown as BufferedHandler)(event, of);

/** The whole answer of each pipeline, as API Gateway reads it. */
const PIPELINES: readonly (readonly [string, typeof invokeBuffered])[] = [
  ['buffers', invokeBuffered],
  [
    'streams',
    async (handler, event) => {
      const { stream, done } = invokeStreamed(handler, event);
      const response = await readResponse(stream);
      await done;
      return response;
    },
  ],
];

const echo: Handler = async (request, { pathParameters, remainingTimeMs }) => ({
  status: 201,
  headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
  body: JSON.stringify({
    method: request.method,
    path: new URL(request.url).pathname,
    body: await request.text(),
    pathParameters,
    left: remainingTimeMs(),
  }),
});

const event = lambdaEvent({
  httpMethod: 'POST',
  path: '/v1/models/a%2Fb',
  pathParameters: { model: 'a%2Fb' },
  body: Buffer.from('{"ü":1}').toString('base64'),
  isBase64Encoded: true,
});

describe.each(PIPELINES)('a pipeline that %s', (_name, answer) => {
  it('passes the call on and returns status, headers and body as API Gateway reads them', async () => {
    const { statusCode, headers, body } = await answer(echo, event);
    expect(statusCode).toBe(201);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'req_1' });
    expect(JSON.parse(body)).toEqual({
      method: 'POST',
      path: '/v1/models/a%2Fb',
      body: '{"ü":1}',
      pathParameters: { model: 'a/b' },
      left: 27_500,
    });
  });

  it('returns an empty body for a response without one', async () => {
    const empty = await answer(async () => ({ status: 204, headers: {}, body: '' }));
    expect(empty).toMatchObject({ statusCode: 204, body: '' });
  });
});

describe('the buffered pipeline', () => {
  it('fails for a response that is streamed', async () => {
    async function* chunks() {
      yield 'one';
    }
    await expect(invokeBuffered(streamedOf(chunks()).handler)).rejects.toThrow('does not stream');
  });

  it('allows a response all the time of the function: no timer of the framework ends it earlier', async () => {
    const slow: Handler = async (_request, { remainingTimeMs }) => {
      await turn();
      return { status: 200, headers: {}, body: String(remainingTimeMs()) };
    };
    const almostOver = { getRemainingTimeInMillis: () => 1 } as Context;
    expect((await invokeBuffered(slow, lambdaEvent(), almostOver)).body).toBe('1');
  });
});

describe('a call that reaches a function', () => {
  const silenceOf = async (multiValueHeaders: Record<string, string[]>) => {
    let silenceMs: number | undefined;
    await invokeBuffered(async (_request, host) => {
      silenceMs = host.silenceMs;
      return { status: 200, headers: {}, body: '' };
    }, lambdaEvent({ multiValueHeaders }));
    return silenceMs;
  };

  it('stays open without output for as long as API Gateway allows, or CloudFront if the call came through it', async () => {
    expect(await silenceOf({})).toBe(300_000);
    expect(await silenceOf({ 'X-Viewer-Ip': ['192.0.2.1'] })).toBe(120_000);
  });
});

describe('the streaming pipeline', () => {
  it('lets the headers leave before the first byte of the body exists, and writes each chunk as it comes', async () => {
    const given = new TransformStream<string>();
    const { stream, done } = invokeStreamed(streamedOf(given.readable, 202).handler);
    const chunks = stream[Symbol.asyncIterator]();
    const metadata = String((await chunks.next()).value).replace(DELIMITER, '');
    expect(JSON.parse(metadata)).toMatchObject({ statusCode: 202 });
    const writer = given.writable.getWriter();
    for (const text of ['one', 'two', 'three']) {
      void writer.write(text);
      expect(String((await chunks.next()).value)).toBe(text);
    }
    void writer.close();
    expect((await chunks.next()).done).toBe(true);
    await done;
  });

  it('takes from the body only what the client takes', async () => {
    let pulled = 0;
    async function* chunks() {
      for (; pulled < 1_000; pulled += 1) yield Buffer.alloc(HIGH_WATER_MARK, '.');
    }
    const { stream, done } = invokeStreamed(streamedOf(chunks()).handler);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(pulled).toBeLessThan(10);
    expect((await readResponse(stream)).body.length).toBe(1_000 * HIGH_WATER_MARK);
    await done;
  });

  it('cancels the body when the client’s side breaks, and ends only when the call has settled', async () => {
    async function* endless() {
      for (;;) yield new Uint8Array(HIGH_WATER_MARK);
    }
    const { handler, hasLeft } = streamedOf(endless());
    const { stream, done } = invokeStreamed(handler);
    await turn();
    stream.destroy();
    await expect(done).rejects.toThrow();
    expect(hasLeft()).toBe(true);
  });

  it('breaks off if the body does', async () => {
    async function* failing() {
      yield 'one';
      throw new Error('gone');
    }
    const { stream, done } = invokeStreamed(streamedOf(failing()).handler);
    await expect(readResponse(stream)).rejects.toThrow('gone');
    await expect(done).rejects.toThrow('gone');
  });
});

describe('the pipeline of a consumer', () => {
  const invoke = <Input, Output>(run: (input: Input) => Promise<Output>) =>
    consumer(run) as unknown as (event: Input, context: Context) => Promise<Output>;

  it('passes the event unchanged, and returns the result unchanged', async () => {
    const run = async ({ count }: { readonly count: number }) => ({ next: count + 1 });
    expect(await invoke(run)({ count: 1 }, context)).toEqual({ next: 2 });
  });

  it('fails if its consumer fails, so that the invoker retries', async () => {
    const run = async () => {
      throw new Error('the table is gone');
    };
    await expect(invoke(run)({}, context)).rejects.toThrow('the table is gone');
  });
});
