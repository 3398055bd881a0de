/** OpenAI's SDKs on transcription by Amazon Transcribe. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { spoken } from '../../tools/test-kit/recordings.ts';
import { caller } from './caller.ts';

const { CLIENTS_PYTHON: python } = process.env;

const MODEL = 'sim/transcribe';
const AUDIO = spoken(2);
const TEXT = 'The quick brown fox.';
const EXPECTED = { plain: TEXT, verbose: TEXT, duration: 2, words: 4, last: 'fox.', param: 'language' };

const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('transcription by Amazon Transcribe', () => {
  it('reaches the OpenAI SDK of Node, plain and with the times of words, and so does an error', async () => {
    const { baseURL, apiKey } = caller();
    const { transcriptions } = new OpenAI({ baseURL, apiKey, maxRetries: 0 }).audio;
    const request = async () => ({ model: MODEL, file: await toFile(AUDIO, 'speech.wav') });
    const plain = await transcriptions.create({ ...(await request()), language: 'en' });
    const verbose = await transcriptions.create({
      ...(await request()),
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    const error: unknown = await transcriptions
      .create({ ...(await request()), language: 'klingon' })
      .catch((each: unknown) => each);
    const { param } = error as InstanceType<typeof OpenAI.BadRequestError>;
    const { text, duration, words = [] } = verbose;
    expect({
      plain: plain.text,
      verbose: text,
      duration: Number(duration),
      words: words.length,
      last: words.at(-1)?.word,
      param,
    }).toEqual(EXPECTED);
  });

  (python === undefined ? it.skip : it)(
    'reaches the OpenAI SDK of Python, plain and with the times of words, and so does an error',
    async () => {
      const { baseURL: BASE_URL, apiKey: API_KEY } = caller();
      const FILE = join(folder, 'speech.wav');
      writeFileSync(FILE, AUDIO);
      const { stdout } = await promisify(execFile)(
        join(python ?? '', 'bin', 'python'),
        [join(import.meta.dirname, 'programs', 'openai-transcription.py')],
        { env: { ...process.env, BASE_URL, API_KEY, MODEL, FILE }, timeout: 60_000 },
      );
      expect(JSON.parse(stdout)).toEqual(EXPECTED);
    },
    70_000,
  );
});
