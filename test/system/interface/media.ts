/**
 * Embeddings, images, speech and transcriptions. Their costs, failures, replays and sizes are in `kinds/`, and forms that no
 * client writes in `kinds/transcriptions.ts`.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { flac, form, mp3, wav } from '../../../tools/test-kit/recordings.ts';
import { expectError } from '../envelopes.ts';
import { caller, USAGE } from './service.ts';

const PATHS = {
  embeddings: '/v1/embeddings',
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
} as const;

const VALID = {
  embeddings: { model: 'sim/embed', input: 'a' },
  images: { model: 'sim/image', prompt: 'a fox' },
  speech: { model: 'sim/tts', input: 'hello' },
};
const send = (surface: keyof typeof VALID, fields: object) =>
  caller.post(PATHS[surface], { ...VALID[surface], ...fields });

const vector = (index: number, embedding: unknown = expect.any(Array)) => ({
  object: 'embedding',
  index,
  embedding,
});
const embeddings = (...data: readonly object[]) => ({
  object: 'list',
  model: 'sim/embed',
  data,
  usage: USAGE,
});

describe('embeddings', () => {
  it.each<readonly [string, object, object]>([
    ['of a string', { input: 'a' }, embeddings(vector(0))],
    ['of strings, in their order', { input: ['a', 'b'] }, embeddings(vector(0), vector(1))],
    ['of the default model', { model: undefined }, embeddings(vector(0))],
    ['of numbers by request', { encoding_format: 'float' }, embeddings(vector(0))],
    ['of base64', { encoding_format: 'base64' }, embeddings(vector(0, expect.stringMatching(/^[\w+/]+=*$/)))],
  ])('return a list %s', async (_words, fields, expected) => {
    const response = await send('embeddings', fields);
    expect([response.status, await response.json()]).toMatchObject([200, expected]);
  });
});

/** Width and height of a PNG, from its first chunk (W3C PNG specification, section 11.2.1). */
function sizeOf(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

describe('image generation', () => {
  it.each<readonly [string, object, number, string]>([
    ['one image of 1024x1024 by default', {}, 1, '1024x1024'],
    ['as many images as requested', { n: 4, size: '512x512' }, 4, '512x512'],
  ])('returns %s', async (_words, fields, count, size) => {
    const response = await send('images', fields);
    const { created, data } = (await response.json()) as {
      readonly created: number;
      readonly data: readonly { readonly b64_json: string }[];
    };
    expect([response.status, Number.isInteger(created)]).toEqual([200, true]);
    expect(data.map(({ b64_json }) => sizeOf(b64_json))).toEqual(Array(count).fill(size));
  });
});

describe('text to speech', () => {
  it.each<readonly [string, object, string]>([
    ['MP3 in the default voice', {}, 'audio/mpeg'],
    ['MP3 by request', { response_format: 'mp3' }, 'audio/mpeg'],
    ['WAV by request', { response_format: 'wav' }, 'audio/wav'],
    ['in a voice of the model', { voice: 'nova' }, 'audio/mpeg'],
  ])('returns audio, not JSON: %s', async (_words, fields, type) => {
    const response = await send('speech', fields);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });
});

/** One second of a tone in each container, as FFmpeg writes it, by file name. */
const ENCODED = JSON.parse(
  readFileSync('lambdas/inference/testing/kinds/transcriptions/lengths/encoded.json', 'utf8'),
) as Readonly<Record<string, string>>;
const encoded = (name: string): Buffer<ArrayBuffer> => Buffer.from(ENCODED[name] ?? '', 'base64');

const transcribe = (name: string, bytes: Buffer<ArrayBuffer>, fields: Record<string, string> = {}) =>
  caller.post(PATHS.transcriptions, form(bytes, name, fields));

describe('transcription', () => {
  const text = { text: expect.any(String) };
  it.each<readonly [string, string, Buffer<ArrayBuffer>, Record<string, string>, object]>([
    ['MP3 by the default model', 'a.mp3', mp3(1.2), {}, text],
    ['WAV in capitals', 'A.WAV', wav(1.2), {}, text],
    ['FLAC', 'a.flac', flac(2), {}, text],
    ['M4A', 'a.m4a', encoded('movie-last.m4a'), {}, text],
    ['OGG', 'a.ogg', encoded('opus.ogg'), {}, text],
    ['WEBM', 'a.webm', encoded('opus.webm'), {}, text],
    ['a named model and a prompt', 'a.wav', wav(1.2), { model: 'sim/stt', prompt: 'Foxes' }, text],
    ['JSON by request', 'a.wav', wav(1.2), { response_format: 'json' }, text],
    ['text by request', 'a.wav', wav(1.2), { response_format: 'text' }, text],
    ['more by request', 'a.wav', wav(1.2), { response_format: 'verbose_json' }, { ...text, duration: 1.2 }],
  ])('returns JSON with the text: %s', async (_words, name, bytes, fields, expected) => {
    const response = await transcribe(name, bytes, fields);
    expect([response.status, await response.json()]).toMatchObject([200, expected]);
  });
});

const REJECTED: readonly (readonly [keyof typeof VALID, string, object, string, string])[] = [
  ['embeddings', 'no input', { input: undefined }, 'missing_field', 'input'],
  ['embeddings', 'an empty text', { input: '' }, 'invalid_value', 'input'],
  ['embeddings', 'an empty array', { input: [] }, 'invalid_value', 'input'],
  ['embeddings', '10,000 inputs', { input: Array(10_000).fill('a') }, 'invalid_value', 'input'],
  ['embeddings', 'an unknown encoding', { encoding_format: 'hex' }, 'invalid_value', 'encoding_format'],
  ['embeddings', 'no dimensions', { dimensions: 0 }, 'invalid_value', 'dimensions'],
  ['embeddings', 'another kind of model', { model: 'sim/chat' }, 'model_not_found', 'model'],
  ['images', 'no model', { model: undefined }, 'missing_field', 'model'],
  ['images', 'another kind of model', { model: 'sim/tts' }, 'model_not_found', 'model'],
  ['images', 'no prompt', { prompt: undefined }, 'missing_field', 'prompt'],
  ['images', 'an empty prompt', { prompt: '' }, 'invalid_value', 'prompt'],
  ['images', 'no image', { n: 0 }, 'invalid_value', 'n'],
  ['images', 'five images', { n: 5 }, 'invalid_value', 'n'],
  ['images', 'another size', { size: '1x1' }, 'invalid_value', 'size'],
  ['images', 'addresses of the vendor', { response_format: 'url' }, 'invalid_value', 'response_format'],
  ['images', 'events', { stream: true }, 'invalid_value', 'stream'],
  ['speech', 'no model', { model: undefined }, 'missing_field', 'model'],
  ['speech', 'another kind of model', { model: 'sim/stt' }, 'model_not_found', 'model'],
  ['speech', 'no input', { input: undefined }, 'missing_field', 'input'],
  ['speech', 'an empty input', { input: '' }, 'invalid_value', 'input'],
  ['speech', 'a voice that the model does not have', { voice: 'nobody' }, 'invalid_value', 'voice'],
  [
    'speech',
    'a voice that the route does not have',
    { model: 'sim/tts-failover', voice: 'nobody' },
    'invalid_value',
    'voice',
  ],
  ['speech', 'another format', { response_format: 'flac' }, 'invalid_value', 'response_format'],
  ['speech', 'events', { stream_format: 'sse' }, 'invalid_value', 'stream_format'],
];

const UPLOADS: readonly (readonly [
  string,
  string,
  Buffer<ArrayBuffer>,
  Record<string, string>,
  string,
  string,
])[] = [
  ['another extension', 'a.aac', wav(1.2), {}, 'unsupported_file_type', 'file'],
  ['no extension', 'a', wav(1.2), {}, 'unsupported_file_type', 'file'],
  ['another kind of model', 'a.wav', wav(1.2), { model: 'sim/chat' }, 'model_not_found', 'model'],
  ['another format', 'a.wav', wav(1.2), { response_format: 'srt' }, 'invalid_value', 'response_format'],
  ['events', 'a.wav', wav(1.2), { stream: 'true' }, 'invalid_value', 'stream'],
];

describe('a rejected request of another kind', () => {
  let before: Awaited<ReturnType<typeof caller.wallet>>;
  beforeAll(async () => {
    before = await caller.wallet();
  });

  it.each(REJECTED)(
    'causes 400 with the field at fault: %s, %s',
    async (surface, _words, fields, code, param) => {
      await expectError(await send(surface, fields), 400, code, expect.stringMatching(`^${param}`));
    },
  );

  it.each(UPLOADS)(
    'causes 400 with the field at fault: transcriptions, %s',
    async (_words, name, bytes, fields, code, param) => {
      await expectError(await transcribe(name, bytes, fields), 400, code, param);
    },
  );

  it('costs nothing and holds nothing', async () => expect(await caller.wallet()).toEqual(before));
});
