import { describe, expect, it } from '@jest/globals';
import { parseBuffer } from 'music-metadata';
import { until } from '../../../tools/test-kit/waiting.ts';
import { errorOf, nano, Payer } from '../payer.ts';
import { decodedMp3 } from './decoded-mp3.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const post = (body: object) => payer.post('/v1/audio/speech', body);

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(4).trim();
/** The simulated voice takes 60 ms a character. */
const SECONDS = TEXT.length * 0.06;

describe('speech: the official OpenAI SDK', () => {
  it('gets MP3 that a decoder plays for as long as the text takes', async () => {
    const before = await payer.wallet();
    const response = await payer.client.audio.speech.create({ model: 'sim/tts', input: TEXT, voice: 'nova' });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-route')).toBe('sim-tts');
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { format } = await parseBuffer(bytes, 'audio/mpeg', { duration: true });
    expect(format).toMatchObject({ codec: 'MPEG 1 Layer 3', sampleRate: 48_000 });
    expect(format.duration).toBeCloseTo(SECONDS, 1);
    expect((await decodedMp3(bytes)).seconds).toBeCloseTo(SECONDS, 1);
    // Settled by the time the last byte is here. 15 USD for a million tokens is 15,000 nano-dollars a token.
    const record = await payer.record(response);
    const cost = Number(record.input_units) * 15_000;
    expect(record).toMatchObject({
      model: 'sim/tts',
      kind: 'tts',
      unit: 'token',
      output_units: 0,
      cost: cost / 1e9,
      estimated: true,
      status: 'completed',
    });
    expect(cost).toBeGreaterThan(0);
    expect(nano(response, 'x-cost-usd')).toBe(cost);
    expect(await payer.wallet()).toEqual({ balance: before.balance - cost, held: 0 });
  });

  it('gets WAV whose header and samples agree on its length', async () => {
    const response = await payer.client.audio.speech.create({
      model: 'sim/tts',
      input: TEXT,
      voice: 'alloy',
      response_format: 'wav',
    });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    const bytes = Buffer.from(await response.arrayBuffer());
    const { format } = await parseBuffer(bytes, 'audio/wav', { duration: true });
    expect(format).toMatchObject({
      container: 'WAVE',
      codec: 'PCM',
      sampleRate: 24_000,
      numberOfChannels: 1,
    });
    expect(format.duration).toBeCloseTo(SECONDS, 1);
    expect((bytes.length - 44) / 2 / 24_000).toBeCloseTo(SECONDS, 1);
  });
});

describe('speech', () => {
  it('reaches the caller while the route still sends it', async () => {
    await service.fault({ wait_after_chunks: 3 });
    const response = await post({ model: 'sim/tts', input: TEXT });
    const bodyChunks = response.body?.values();
    expect(await bodyChunks?.next()).toMatchObject({ done: false });
    await service.endFaults();
    let later = 0;
    for await (const fragment of bodyChunks ?? []) later += fragment.length;
    expect(later).toBeGreaterThan(0);
  });

  it('comes from the next route if a route sends no audio', async () => {
    const before = await payer.wallet();
    await service.fault({ status: 200, body: {} });
    const none = await post({ model: 'sim/tts', input: 'hello' });
    expect(await errorOf(none)).toMatchObject({ status: 503, code: 'all_routes_failed' });
    await service.fault({ cut_after_bytes: 0 });
    expect((await post({ model: 'sim/tts', input: 'hello' })).status).toBe(503);
    expect(await payer.wallet()).toEqual(before);
  });

  it('comes at once from the next route after the circuit of a failing route opens', async () => {
    const attempts = () => service.output.split('sim-tts-dead').length - 1;
    const speak = async () => {
      const before = attempts();
      const response = await post({ model: 'sim/tts-failover', input: 'hello' });
      expect([response.status, response.headers.get('x-route')]).toEqual([200, 'sim-tts-live']);
      await response.arrayBuffer();
      return attempts() - before;
    };
    await until(speak, () => service.output.includes('circuit opened route=sim-tts-dead'));
    await until(speak, (attemptCount) => attemptCount === 0);
  });

  it('ends where the route breaks off, and is billed as interrupted', async () => {
    const before = await payer.wallet();
    await service.fault({ cut_after_chunks: 3 });
    const response = await post({ model: 'sim/tts', input: TEXT });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const record = await payer.record(response);
    expect(record).toMatchObject({ status: 'interrupted', route: 'sim-tts' });
    expect(nano(response, 'x-cost-usd')).toBe(Math.round(Number(record.cost) * 1e9));
    expect(await payer.wallet()).toEqual({ balance: before.balance - nano(response, 'x-cost-usd'), held: 0 });
  });

  it('costs a caller who disconnects the price of the call, and leaves no hold', async () => {
    const before = await payer.wallet();
    await service.fault({ wait_after_chunks: 3 });
    const response = await post({ model: 'sim/tts', input: TEXT });
    await response.body?.cancel();
    await service.endFaults();
    const wallet = await until(
      () => payer.wallet(),
      ({ held }) => held === 0,
    );
    expect(wallet).toEqual({ balance: before.balance - nano(response, 'x-cost-usd'), held: 0 });
  });
});
