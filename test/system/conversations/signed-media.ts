/** Checks that images and sound leave byte for byte as the route gave them, so that what its vendor signed stays signed. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Payer } from '../payer.ts';
import { isSigned, mp3File, pngWith, wavFile } from '../signed-files.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const FILES = { png: pngWith(6), wav: wavFile(), mp3: mp3File() } as const;
const PNG = FILES.png.toString('base64');
const WAV = FILES.wav.toString('base64');
const DATA_URL = `data:image/png;base64,${PNG}`;

const half = WAV.length / 2 - ((WAV.length / 2) % 4);
const MESSAGE = {
  role: 'assistant',
  content: 'Hi',
  audio: { id: 'audio_1', data: WAV, expires_at: 1, transcript: 'Hi' },
  images: [{ type: 'image_url', image_url: { url: DATA_URL } }],
};
const CHAT_USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const CHUNKS = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi', images: MESSAGE.images } }] },
  { choices: [{ index: 0, delta: { audio: { id: 'audio_1', data: WAV.slice(0, half) } } }] },
  { choices: [{ index: 0, delta: { audio: { data: WAV.slice(half) } } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: CHAT_USAGE },
];

const GENERATED = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: PNG };
const RESPONSE = {
  id: 'resp_1',
  status: 'completed',
  output: [GENERATED],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};
const EVENTS = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...GENERATED, status: 'generating', result: null },
  },
  {
    type: 'response.image_generation_call.partial_image',
    output_index: 0,
    item_id: 'ig_1',
    partial_image_index: 0,
    partial_image_b64: PNG,
  },
  { type: 'response.output_item.done', output_index: 0, item: GENERATED },
  { type: 'response.completed', response: RESPONSE },
];

interface VendorRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly response_format?: 'mp3' | 'wav';
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, events: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

/** In pieces of a few bytes, none of which ends where a file's own parts do. */
function sendFile(response: ServerResponse, type: string, file: Buffer): void {
  response.writeHead(200, { 'content-type': type });
  for (let at = 0; at < file.length; at += 7) response.write(file.subarray(at, at + 7));
  response.end();
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') return sendFile(response, 'image/png', FILES.png);
  const { model, stream, response_format: format = 'mp3' } = (await json(request)) as VendorRequest;
  const address = `http://${request.headers.host}/a.png`;
  switch (request.url) {
    case '/v1/images/generations':
      return send(response, { data: [model === 'by-address' ? { url: address } : { b64_json: PNG }] });
    case '/v1/audio/speech':
      return sendFile(response, format === 'mp3' ? 'audio/mpeg' : 'audio/wav', FILES[format]);
    case '/v1/chat/completions':
      return stream
        ? sendEvents(response, CHUNKS)
        : send(response, {
            choices: [{ index: 0, message: MESSAGE, finish_reason: 'stop' }],
            usage: CHAT_USAGE,
          });
    default:
      return stream ? sendEvents(response, EVENTS) : send(response, RESPONSE);
  }
}

const TOKENS = { unit: 'per_million_tokens', input: 1, output: 2 };
const MODELS = [
  ['chat', 'chat', TOKENS],
  ['responses', 'chat', TOKENS],
  ['speech', 'tts', { unit: 'per_million_tokens', input: 1 }],
  ['image', 'image', { unit: 'per_image', image: 0.01 }],
  ['by-address', 'image', { unit: 'per_image', image: 0.01 }],
] as const;

const IMAGE = '/v1/images/generations';
const CHAT = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];

let vendor: Server;

beforeAll(async () => {
  vendor = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const { port } = vendor.address() as AddressInfo;
  const { document } = await service.admin<{ document: { models: object[] } }>('catalog', 'show');
  const models = MODELS.map(([name, type, price]) => ({
    id: `signed/${name}`,
    type,
    owned_by: 'signed',
    created: 1_760_000_000,
    price,
    ...(type === 'tts' ? { default_voice: 'alloy' } : {}),
    routes: [
      {
        id: `signed-${name}`,
        protocol: name === 'responses' ? 'openai-responses' : 'openai',
        base_url: `http://127.0.0.1:${port}/v1`,
        upstream_model: name,
        capabilities: ['stream'],
      },
    ],
  }));
  const file = join(service.directory, 'signed-media.json');
  writeFileSync(file, JSON.stringify({ ...document, models: [...document.models, ...models] }));
  await service.admin('catalog', 'apply', file, '--remove');
  // Each function has its own copy of the catalog.
  for (const [path, model, fields] of [
    [IMAGE, 'image', { prompt: 'Hi' }],
    ['/v1/audio/speech', 'speech', { input: 'Hi' }],
    [CHAT, 'chat', { messages }],
    ['/v1/responses', 'responses', { input: 'Hi' }],
  ] as const)
    await until(
      async () => (await payer.post(path, { model: `signed/${model}`, ...fields })).status,
      (status) => status === 200,
    );
});
afterAll(() => {
  vendor.closeAllConnections();
  vendor.close();
});

/** Returns the objects of a stream of events. */
const eventsOf = async (response: Response) =>
  (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));

const decoded = (text: string): Buffer => Buffer.from(text.replace(/^data:image\/png;base64,/, ''), 'base64');

function expectUnchanged(received: Buffer, sent: Buffer): void {
  expect(received.equals(sent)).toBe(true);
  expect(isSigned(received)).toBe(true);
}

describe('a file that its vendor signed', () => {
  it('counts as changed if it was encoded again, or lost a byte or its credentials', () => {
    for (const file of Object.values(FILES)) {
      expect(isSigned(file)).toBe(true);
      expect(isSigned(Buffer.from(file.toString('utf8')))).toBe(false);
      expect(isSigned(file.subarray(0, -1))).toBe(false);
    }
    const hash = FILES.png.indexOf('c2pa.hash.data');
    const recompressed = Buffer.concat([FILES.png.subarray(0, hash + 47), pngWith(0).subarray(hash + 47)]);
    expect(isSigned(recompressed)).toBe(false);
    expect(isSigned(Buffer.from(FILES.png.toString('latin1').replace('c2pa.hash.data', ''), 'latin1'))).toBe(
      false,
    );
  });

  it.each(['image', 'by-address'])('stays signed as an image, and when it is replayed: %s', async (name) => {
    const headers = { 'idempotency-key': `signed-${name}` };
    for (const replayed of [null, 'true']) {
      const response = await payer.post(IMAGE, { model: `signed/${name}`, prompt: 'Hi' }, headers);
      expect(response.headers.get('idempotent-replayed')).toBe(replayed);
      const { data } = (await response.json()) as { data: { b64_json: string }[] };
      expect(data).toHaveLength(1);
      expectUnchanged(decoded(data[0]?.b64_json ?? ''), FILES.png);
    }
  });

  it.each(['mp3', 'wav'] as const)('stays signed as speech: %s', async (format) => {
    const request = { model: 'signed/speech', input: 'Hi', response_format: format };
    const response = await payer.post('/v1/audio/speech', request);
    expectUnchanged(Buffer.from(await response.arrayBuffer()), FILES[format]);
  });

  it('stays signed as audio and image of a chat completion, and when it is replayed', async () => {
    const headers = { 'idempotency-key': 'signed-chat' };
    for (const replayed of [null, 'true']) {
      const response = await payer.post(CHAT, { model: 'signed/chat', messages }, headers);
      expect(response.headers.get('idempotent-replayed')).toBe(replayed);
      const { choices } = (await response.json()) as { choices: { message: typeof MESSAGE }[] };
      expectUnchanged(decoded(choices[0]?.message.audio.data ?? ''), FILES.wav);
      expectUnchanged(decoded(choices[0]?.message.images[0]?.image_url.url ?? ''), FILES.png);
    }
  });

  it('stays signed as audio and image of a chat stream', async () => {
    const events = await eventsOf(await payer.post(CHAT, { model: 'signed/chat', messages, stream: true }));
    const deltas = events.flatMap(({ choices }) =>
      choices.map(({ delta }: { delta: typeof MESSAGE }) => delta),
    );
    expectUnchanged(decoded(deltas.map(({ audio }) => audio?.data ?? '').join('')), FILES.wav);
    expectUnchanged(decoded(deltas.find(({ images }) => images)?.images[0]?.image_url.url ?? ''), FILES.png);
  });

  it('stays signed as a generated image of a response, and when it is replayed', async () => {
    const headers = { 'idempotency-key': 'signed-responses' };
    for (const replayed of [null, 'true']) {
      const response = await payer.post('/v1/responses', { model: 'signed/responses', input: 'Hi' }, headers);
      expect(response.headers.get('idempotent-replayed')).toBe(replayed);
      const { output } = (await response.json()) as { output: (typeof GENERATED)[] };
      expectUnchanged(decoded(output[0]?.result ?? ''), FILES.png);
    }
  });

  it('stays signed as a generated image in each event of a streamed response', async () => {
    const request = { model: 'signed/responses', input: 'Hi', stream: true };
    const events = await eventsOf(await payer.post('/v1/responses', request));
    const images = events.flatMap(({ partial_image_b64: partial, item, response }) => [
      partial,
      item?.result,
      response?.output[0]?.result,
    ]);
    const received = images.filter((image) => typeof image === 'string');
    expect(received).toHaveLength(3);
    for (const image of received) expectUnchanged(decoded(image), FILES.png);
  });
});
