import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { flac, spoken, wavOfBytes } from '../../../tools/test-kit/recordings.ts';
import { costIn, NANO_USD_PER_SECOND, TranscribeDrill } from './transcribe-drill.ts';
import type { HeldKey } from './upload-service.ts';

const CREDIT = 10n ** 12n;

/** One second of a tone by file name. */
const ENCODED = JSON.parse(
  readFileSync('lambdas/inference/testing/kinds/transcriptions/lengths/encoded.json', 'utf8'),
) as Readonly<Record<string, string>>;
const encoded = (name: string) => Buffer.from(ENCODED[name] ?? '', 'base64');

let drill: TranscribeDrill;
let key: HeldKey;

beforeAll(async () => {
  drill = await TranscribeDrill.start();
});
beforeEach(async () => {
  drill.account.state.plan = { jobMs: 20 };
  drill.account.state.operations.length = 0;
  key = await drill.service.open(CREDIT);
});
afterAll(() => drill.stop());

const errorIn = async (response: Response) => {
  const { error } = (await response.json()) as { readonly error: object };
  return { status: response.status, ...error };
};

describe('a transcription over Amazon Transcribe', () => {
  it.each(['plain.wav', 'constant.mp3', 'movie-first.m4a', 'samples.flac', 'opus.ogg', 'opus.webm'])(
    'returns text in every format of the response, for a file like %s',
    async (name) => {
      const post = (format: string) => drill.post(key, encoded(name), { response_format: format }, { name });
      const { text: words } = (await (await post('json')).json()) as { readonly text: string };
      expect(words).toMatch(/^The quick/);
      expect(await (await post('text')).json()).toEqual({ text: words });
      expect(await (await post('verbose_json')).json()).toEqual({
        task: 'transcribe',
        language: 'en',
        duration: expect.closeTo(1, name.endsWith('.wav') ? 6 : -1),
        text: words,
        segments: [{ id: 0, start: 0, end: expect.any(Number), text: words }],
      });
      expect(await drill.account.keys()).toEqual([]);
      expect(await drill.sweep()).toBe(0);
    },
  );

  it('costs the seconds of the file to the nano-dollar, and is no estimate', async () => {
    const response = await drill.post(key, spoken(7.5));
    expect(costIn(response)).toBe((NANO_USD_PER_SECOND * 75n) / 10n);
    expect(await drill.walletOf(key)).toEqual({
      balance: CREDIT - (NANO_USD_PER_SECOND * 75n) / 10n,
      holds: 0,
    });
  });

  it('costs the silence after its last word, as AWS bills it', async () => {
    const response = await drill.post(key, spoken(3).fill(0, 44 + 48_000));
    expect(await response.json()).toEqual({ text: 'The quick.' });
    expect(costIn(response)).toBe(3n * NANO_USD_PER_SECOND);
  });

  it('returns the time of each word on request, with punctuation at the word before it', async () => {
    const fields = { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' };
    const { words } = (await (await drill.post(key, spoken(2), fields)).json()) as { readonly words: object };
    expect(words).toEqual([
      { word: 'The', start: 0, end: 0.5 },
      { word: 'quick', start: 0.5, end: 1 },
      { word: 'brown', start: 1, end: 1.5 },
      { word: 'fox.', start: 1.5, end: 2 },
    ]);
  });

  it('names the fields that no job takes', async () => {
    const fields = { language: 'de', prompt: 'foxes', temperature: '0', 'timestamp_granularities[]': 'word' };
    const response = await drill.post(key, spoken(2), fields);
    expect(response.headers.get('x-ignored-fields')).toBe('prompt,temperature');
  });

  it.each([
    ['en', 'en'],
    ['pt-PT', 'pt'],
    ['EN_gb', 'en'],
  ])('starts a job in the language %s', async (language, spokenLanguage) => {
    const response = await drill.post(key, spoken(2), { language, response_format: 'verbose_json' });
    expect(await response.json()).toMatchObject({ language: spokenLanguage });
  });

  it('fails for an unknown language before anything is stored', async () => {
    const response = await drill.post(key, spoken(2), { language: 'klingon' });
    expect(await errorIn(response)).toMatchObject({ status: 400, code: 'invalid_value', param: 'language' });
    expect(drill.account.state.operations).not.toContain('PUT');
  });

  it('contains no text for silence, which is billed by its length', async () => {
    const response = await drill.post(key, wavOfBytes(48_044));
    expect([response.status, await response.json()]).toEqual([200, { text: '' }]);
    expect(costIn(response)).toBe(NANO_USD_PER_SECOND);
  });

  it('takes 25 MB of stereo', async () => {
    const audio = spoken(540);
    audio.writeUInt16LE(2, 22);
    audio.writeUInt32LE(96_000, 24);
    audio.writeUInt32LE(576_000, 28);
    audio.writeUInt16LE(6, 32);
    audio.writeUInt16LE(24, 34);
    const response = await drill.post(key, audio);
    expect(response.status).toBe(200);
    expect(costIn(response)).toBe(45n * NANO_USD_PER_SECOND);
  });
});

describe('a recording that Amazon Transcribe does not take', () => {
  it.each([
    ['of no bytes', Buffer.alloc(0), 'speech.wav', 'invalid_value'],
    ['of 10 minutes and a second', flac(601), 'speech.flac', 'invalid_value'],
    ['whose name has another format', spoken(2), 'speech.mp3', 'unsupported_file_type'],
  ])('causes 400 before anything is stored: %s', async (_, audio, name, code) => {
    const response = await drill.post(key, audio, {}, { name });
    expect(await errorIn(response)).toMatchObject({ status: 400, code, param: 'file' });
    expect(drill.account.state.operations).toEqual([]);
    expect(await drill.walletOf(key)).toEqual({ balance: CREDIT, holds: 0 });
  });

  it('causes 400 if it is longer than the time of its address allows', async () => {
    // 105 s for the route, less 15 for the start of a job, at three times real time.
    const at = (seconds: number) => drill.post(key, flac(seconds), {}, { name: 'a.flac', silenceMs: 60_000 });
    expect(await errorIn(await at(91))).toMatchObject({
      status: 400,
      param: 'file',
      message: expect.stringContaining('up to 90 seconds'),
    });
    expect((await at(90)).status).toBe(200);
  });

  it.each([
    ['too short', spoken(0.4), undefined],
    ['corrupt', spoken(2), 'Unsupported media format'],
  ])('causes 400 at no charge, and leaves nothing behind: %s', async (_, audio, failure) => {
    if (failure !== undefined) drill.account.state.plan = { jobMs: 5, failure };
    const response = await drill.post(key, audio);
    expect(await errorIn(response)).toMatchObject({ status: 400, code: 'invalid_value', param: 'file' });
    expect(await drill.walletOf(key)).toEqual({ balance: CREDIT, holds: 0 });
    expect([await drill.account.keys(), await drill.sweep()]).toEqual([[], 0]);
  });
});
