import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf, nano, Payer } from '../payer.ts';
import { decodedMp3 } from './decoded-mp3.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const post = (body: object) => payer.post('/v1/audio/speech', { model: 'sim/polly', ...body });

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(4).trim();
/** The simulated Polly takes 100 ms a character. */
const SECONDS = TEXT.length * 0.1;
/** 64 USD for a million tokens of four characters each. */
const COST = Math.ceil(TEXT.length / 4) * 64_000;

afterEach(() => service.endFaults());

describe('speech of Amazon Polly: the official OpenAI SDK', () => {
  it('gets MP3 that a decoder plays for as long as the text takes, at exactly the price of its characters', async () => {
    const before = await payer.wallet();
    const response = await payer.client.audio.speech.create({
      model: 'sim/polly',
      input: TEXT,
      voice: 'nova',
      instructions: 'Speak like a fox.',
    });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-route')).toBe('sim-polly');
    expect(response.headers.get('x-ignored-fields')).toBe('instructions');
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { seconds, sampleRate } = await decodedMp3(bytes);
    expect(sampleRate).toBe(24_000);
    expect(seconds).toBeCloseTo(SECONDS, 1);
    expect(await payer.record(response)).toMatchObject({
      model: 'sim/polly',
      unit: 'token',
      input_units: Math.ceil(TEXT.length / 4),
      cost: COST / 1e9,
      estimated: false,
      status: 'completed',
    });
    expect(nano(response, 'x-cost-usd')).toBe(COST);
    expect(await payer.wallet()).toEqual({ balance: before.balance - COST, held: 0 });
  });

  it('gets WAV of 16 kHz, whose header does not limit its samples', async () => {
    const response = await payer.client.audio.speech.create({
      model: 'sim/polly',
      input: TEXT,
      voice: 'alloy',
      response_format: 'wav',
    });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([bytes.readUInt32LE(24), bytes.readUInt32LE(40)]).toEqual([16_000, 0xffff_ffff]);
    expect((bytes.length - 44) / 32_000).toBeCloseTo(SECONDS, 1);
  });
});

describe('speech of Amazon Polly', () => {
  it('reaches the caller while the route still sends it', async () => {
    await service.fault({ wait_after_chunks: 1 });
    const response = await post({ input: TEXT });
    const chunks = response.body?.values();
    expect(await chunks?.next()).toMatchObject({ done: false });
    await service.endFaults();
    let later = 0;
    for await (const chunk of chunks ?? []) later += chunk.length;
    expect(later).toBeGreaterThan(0);
  });

  it.each([
    [{ voice: 'nobody' }, 'voice', 'alloy, nova, onyx, Vicki'],
    [{ speed: 2.5 }, 'speed', 'at most 2'],
    [{ input: ' ' }, 'input', 'nothing to speak'],
  ])('rejects what Polly cannot speak, for nothing: %j', async (fields, param, words) => {
    const before = await payer.wallet();
    const error = await errorOf(await post({ input: TEXT, ...fields }));
    expect(error).toMatchObject({ status: 400, code: 'invalid_value', param });
    expect(error.message).toContain(words);
    expect(await payer.wallet()).toEqual(before);
  });

  it('comes from another region while the first one throttles, and leaves that alone for a while', async () => {
    await service.fault({ status: 429 });
    const speak = async () => {
      const response = await post({ input: TEXT });
      await response.arrayBuffer();
      return [response.status, response.headers.get('x-route')];
    };
    expect(await speak()).toEqual([200, 'sim-polly-other']);
    expect(await speak()).toEqual([200, 'sim-polly-other']);
  });

  it('ends where a later part fails, and is billed once, as interrupted', async () => {
    const before = await payer.wallet();
    // Each is for one request: the first part comes, the second one fails.
    await service.fault({ chunk_delay_ms: 0 });
    await service.fault({ status: 500 });
    const response = await post({ input: '漢'.repeat(2_000) });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await payer.record(response)).toMatchObject({ status: 'interrupted', cost: (500 * 64_000) / 1e9 });
    expect(await payer.wallet()).toEqual({ balance: before.balance - 500 * 64_000, held: 0 });
  });
});
