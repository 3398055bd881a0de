import { describe, expect, it } from '@jest/globals';
import { toFile } from 'openai';
import { form, spoken } from '../../../tools/test-kit/recordings.ts';
import { errorOf, nano, Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

/** 0.0072 USD a minute. */
const costOf = (seconds: number) => Math.ceil((seconds * 7_200_000) / 60);

describe('transcriptions by Amazon Transcribe: the official OpenAI SDK', () => {
  it('gets text, segments and words with their times, and pays for the seconds of the file to the nano-dollar', async () => {
    const before = await payer.wallet();
    const { data, response } = await payer.client.audio.transcriptions
      .create({
        model: 'sim/transcribe',
        file: await toFile(spoken(2), 'speech.wav'),
        language: 'en',
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      })
      .withResponse();
    expect(data).toMatchObject({
      language: 'en',
      duration: 2,
      text: 'The quick brown fox.',
      segments: [{ id: 0, start: 0, end: 2 }],
    });
    expect(data.words?.at(-1)).toEqual({ word: 'fox.', start: 1.5, end: 2 });
    expect(response.headers.get('x-route')).toBe('sim-transcribe');
    expect(nano(response, 'x-cost-usd')).toBe(costOf(2));
    expect(await payer.wallet()).toEqual({ balance: before.balance - costOf(2), held: 0 });
    expect(await payer.record(response)).toMatchObject({
      model: 'sim/transcribe',
      unit: 'second',
      input_units: 2,
      estimated: false,
      status: 'completed',
    });
  });

  it('gets 400 for a language that no job takes, at no charge', async () => {
    const before = await payer.wallet();
    const upload = form(spoken(2), 'speech.wav', { model: 'sim/transcribe', language: 'klingon' });
    const response = await payer.post('/v1/audio/transcriptions', upload);
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'invalid_value', param: 'language' });
    expect(await payer.wallet()).toEqual(before);
  });
});
