/** OpenAI's SDKs on speech of Amazon Polly. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { caller } from './caller.ts';

const { CLIENTS_PYTHON: python } = process.env;

const MODEL = 'sim/polly';
const INPUT = 'The quick brown fox jumps over the lazy dog.';

/** Frames of 24 ms: 144 bytes of MP3, 768 of samples. The simulated Polly takes 100 ms a character. */
const frames = (speed: number) => Math.ceil((INPUT.length * 0.1) / speed / 0.024);
const EXPECTED = { mp3: frames(1) * 144, wav: 44 + frames(2) * 768, type: 'RIFF', param: 'voice' };

describe('speech of Amazon Polly', () => {
  it('reaches the OpenAI SDK of Node, whole and streamed, and so does an error', async () => {
    const { baseURL, apiKey } = caller();
    const { speech } = new OpenAI({ baseURL, apiKey, maxRetries: 0 }).audio;
    const request = { model: MODEL, input: INPUT };
    const whole = await (await speech.create({ ...request, voice: 'nova' })).arrayBuffer();
    const { body } = await speech.create({ ...request, voice: 'alloy', response_format: 'wav', speed: 2 });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) chunks.push(chunk);
    const streamed = Buffer.concat(chunks);
    const error: unknown = await speech
      .create({ ...request, voice: 'nobody' })
      .catch((each: unknown) => each);
    const { param } = error as InstanceType<typeof OpenAI.BadRequestError>;
    const type = streamed.subarray(0, 4).toString();
    expect({ mp3: whole.byteLength, wav: streamed.length, type, param }).toEqual(EXPECTED);
  });

  (python === undefined ? it.skip : it)(
    'reaches the OpenAI SDK of Python, whole and streamed, and so does an error',
    async () => {
      const { baseURL: BASE_URL, apiKey: API_KEY } = caller();
      const { stdout } = await promisify(execFile)(
        join(python ?? '', 'bin', 'python'),
        [join(import.meta.dirname, 'programs', 'openai-speech.py')],
        { env: { ...process.env, BASE_URL, API_KEY, MODEL }, timeout: 60_000 },
      );
      expect(JSON.parse(stdout)).toEqual(EXPECTED);
    },
    70_000,
  );
});
