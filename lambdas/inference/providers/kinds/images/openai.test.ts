import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { createResolve } from '../../../../platform/connections/address-guard.ts';
import { createGuardedExchange } from '../../../../platform/connections/guarded-exchange.ts';
import { createUpstreamFetch } from '../../../../platform/connections/upstream-fetch.ts';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { wireServer } from '../../../../platform/testing/connections/wire-server.ts';
import { FORBIDDEN_HOSTS } from '../../../../webhooks/testing/forbidden-hosts.ts';
import type { Model } from '../../../core/catalog/catalog-document.ts';
import {
  CANARY,
  DEPENDENCIES,
  failureOf,
  JSON_TYPE,
  routeOf,
  until,
} from '../../../testing/providers/http-calls.ts';
import { IMAGE_FILE_BYTES } from '../../response-bytes.ts';
import { imagesOfOpenAi } from './openai.ts';

/** The route. */
const server = wireServer();
/** The vendor's storage. */
const storage = wireServer();

const vendor = { provider: CANARY, cost: CANARY, x_vendor: { id: CANARY } };
const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10, 13]);
const PNG = { 'content-type': 'image/png' };

const downloadOf = (allowLoopback: boolean) =>
  createUpstreamFetch(createGuardedExchange({ allowLoopback, resolve: createResolve() }));

interface Options {
  readonly payload?: JsonObject;
  readonly model?: string;
  readonly signal?: AbortSignal;
  readonly allowLoopback?: boolean;
}

function paint({ payload, model = 'painter', signal, allowLoopback = true }: Options = {}) {
  const dependencies = { ...DEPENDENCIES, clock: () => 7_000, download: downloadOf(allowLoopback) };
  return imagesOfOpenAi(dependencies)({
    model: {} as Model,
    route: routeOf({ protocol: 'openai', base_url: server.origin, upstream_model: model, secret: 'env:KEY' }),
    payload: { prompt: 'a fox', n: 4, response_format: 'b64_json', ...payload },
    clock: { signal: signal ?? new AbortController().signal, stopFirstByte: () => {}, close: () => {} },
  });
}

/** The route responds with these images. */
function answer(...data: unknown[]): void {
  server.respond = (response) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ created: 5, data, ...vendor }));
}

const imagesOf = async (...data: unknown[]) => {
  answer(...data);
  return (await paint()).images;
};

/** The route names an image, at whose address the storage responds so. */
function store(respond: (response: ServerResponse, path: string) => void, ...paths: string[]): void {
  storage.respond = (response, { path }) => respond(response, path);
  answer(...(paths.length === 0 ? ['/a.png'] : paths).map((path) => ({ url: `${storage.origin}${path}` })));
}

const bodies = () => server.requests.map(({ body }) => JSON.parse(body) as JsonObject);

describe('the request for images', () => {
  it('asks for base64, except of a model that always returns it and rejects the field', async () => {
    answer({ b64_json: 'aGk=' });
    for (const model of ['dall-e-3', 'gpt-image-2', 'chatgpt-image-latest', 'vendor/gpt-image-1'])
      await paint({ model });
    expect(bodies().map(({ response_format: format }) => format)).toEqual([
      'b64_json',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    { param: 'response_format', message: 'Unknown parameter.' },
    { message: "Unknown parameter: 'response_format'." },
  ])('leaves again without the field if the route rejects that: %j', async (error) => {
    server.respond = (response, { body }) =>
      body.includes('response_format')
        ? void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error }))
        : void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ data: [{ b64_json: 'aGk=' }] }));
    expect((await paint()).images).toEqual([{ b64_json: 'aGk=' }]);
    expect(bodies()).toEqual([
      { prompt: 'a fox', n: 4, response_format: 'b64_json', model: 'painter' },
      { prompt: 'a fox', n: 4, model: 'painter' },
    ]);
  });

  it('leaves once if the route rejects anything else, or fails', async () => {
    for (const [status, param] of [
      [400, 'prompt'],
      [500, 'response_format'],
    ] as const) {
      server.forget();
      server.respond = (response) =>
        void response.writeHead(status, JSON_TYPE).end(JSON.stringify({ error: { param, message: 'no' } }));
      expect(await failureOf(paint())).toMatchObject({ status });
      expect(bodies()).toHaveLength(1);
    }
  });
});

describe('images of a server of the OpenAI protocol', () => {
  it('contain the image and its revised prompt, and no field of the vendor', async () => {
    const image = { b64_json: 'aGk=', revised_prompt: 'a cat' };
    answer({ ...image, url: `${storage.origin}/a.png`, ...vendor });
    expect(await paint()).toEqual({ images: [image], created: 5 });
    expect(storage.connections).toBe(0);
  });

  it.each([
    null,
    5,
    'x',
    {},
    { url: 5 },
    { url: 'javascript:alert(1)' },
    { url: 'file:///a' },
    { url: 'https://a b' },
    { b64_json: {} },
  ])('cause a protocol failure without data and without an address: %j', async (entry) => {
    expect(await failureOf(imagesOf(entry))).toMatchObject({ kind: 'protocol' });
    expect(await imagesOf(entry, { b64_json: 'aGk=' })).toEqual([{ b64_json: 'aGk=' }]);
  });

  it('use the current time as their creation time if the route reports no valid time', async () => {
    for (const created of ['now', -1, 1.5, {}]) {
      server.respond = (response) =>
        void response
          .writeHead(200, JSON_TYPE)
          .end(JSON.stringify({ created, data: [{ b64_json: 'aGk=' }] }));
      expect(await paint()).toMatchObject({ created: 7 });
    }
  });
});

describe('an image that the vendor names by its address', () => {
  it('reaches the caller as its bytes, which are fetched without a key', async () => {
    const data = BYTES.toString('base64');
    for (const type of ['image/png', 'application/octet-stream', 'binary/octet-stream']) {
      store((response) => void response.writeHead(200, { 'content-type': type }).end(BYTES));
      expect((await paint()).images).toEqual([{ b64_json: data }]);
    }
    expect(storage.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(await imagesOf({ b64_json: `data:image/png;base64,${data}` })).toEqual([{ b64_json: data }]);
    expect(await imagesOf({ url: `data:image/png;base64,${data}`, revised_prompt: 'a cat' })).toEqual([
      { b64_json: data, revised_prompt: 'a cat' },
    ]);
  });

  it('reaches the caller as its address if the request is for addresses', async () => {
    store(() => {});
    const url = `${storage.origin}/a.png`;
    expect((await paint({ payload: { response_format: 'url' } })).images).toEqual([{ url }]);
    expect(storage.connections).toBe(0);
  });

  it('stays where it is if it is beyond the number of requested images', async () => {
    store(
      (response, path) => void response.writeHead(200, PNG).end(path),
      '/a',
      '/b',
      '/c',
      '/d',
      '/e',
      '/f',
    );
    expect((await paint({ payload: { n: 2 } })).images).toHaveLength(2);
    expect(storage.requests).toHaveLength(2);
  });

  it('counts as not returned if it cannot be fetched and others can', async () => {
    store(
      (response, path) => void response.writeHead(path === '/b' ? 403 : 200, PNG).end(path),
      '/a',
      '/b',
      '/c',
    );
    expect((await paint()).images).toEqual(
      ['/a', '/c'].map((path) => ({ b64_json: Buffer.from(path).toString('base64') })),
    );
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => void response.writeHead(404, PNG).end('x')],
    ['no image', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['no type', (response) => void response.writeHead(200).end('x')],
    ['no byte', (response) => void response.writeHead(200, PNG).end()],
    ['no body', (response) => void response.writeHead(204, PNG).end()],
    [
      'half a body',
      (response) =>
        void response.writeHead(200, { ...PNG, 'content-length': 9 }).write('x', () => response.destroy()),
    ],
    ['a redirect', (response) => void response.writeHead(302, { location: `${storage.origin}/b.png` }).end()],
    [
      'a compressed body',
      (response) => void response.writeHead(200, { ...PNG, 'content-encoding': 'gzip' }).end(gzipSync(BYTES)),
    ],
    [
      'an endless body',
      (response) => {
        response.writeHead(200, PNG);
        const write = () => void (response.destroyed || response.write(Buffer.alloc(65_536), write));
        write();
      },
    ],
  ])('fails the route if its storage returns %s', async (_what, respond) => {
    store(respond);
    expect(await failureOf(paint())).toMatchObject({ kind: 'download', retryable: true });
    expect(storage.requests.map(({ path }) => path)).toEqual(['/a.png']);
    await until(() => storage.open === 0);
  });

  it('reaches the caller if it is as large as the largest image, and not if it is larger', async () => {
    store((response) => void response.writeHead(200, PNG).end(Buffer.alloc(IMAGE_FILE_BYTES)));
    expect((await paint()).images).toHaveLength(1);
    store((response) => void response.writeHead(200, PNG).end(Buffer.alloc(IMAGE_FILE_BYTES + 1)));
    expect(await failureOf(paint())).toMatchObject({ kind: 'download' });
  });

  it('stays where it is once the time of the call is over', async () => {
    const abort = new AbortController();
    store((response) => {
      response.writeHead(200, PNG).write('x', () => abort.abort());
    });
    expect(await failureOf(paint({ signal: abort.signal }))).toMatchObject({ kind: 'download' });
    await until(() => storage.open === 0);
  });

  it('causes no connection to a private address, in any spelling, nor one over HTTP or with credentials', async () => {
    const { port } = new URL(storage.origin);
    const urls = [
      ...FORBIDDEN_HOSTS.map((host) => `https://${host}:${port}/a.png`),
      storage.origin,
      `http://93.184.216.34:${port}/a.png`,
      `https://user:secret@93.184.216.34:${port}/a.png`,
    ];
    for (const url of urls) {
      answer({ url });
      expect((await failureOf(paint({ allowLoopback: false }))).message).toMatch(/download|protocol/);
    }
    expect(storage.connections).toBe(0);
  });
});
