import {
  DescribeVoicesCommand,
  PollyClient,
  SynthesizeSpeechCommand,
  type SynthesizeSpeechCommandInput,
} from '@aws-sdk/client-polly';
import { describe, expect, it } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();

const client = () =>
  new PollyClient({
    endpoint: upstream.running.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'test' },
    maxAttempts: 1,
    // Over HTTP/1.1, where the client's own choice would be HTTP/2.
    requestHandler: new NodeHttpHandler(),
  });

async function synthesize(fields: Partial<SynthesizeSpeechCommandInput>) {
  const input = { Engine: 'neural', OutputFormat: 'pcm', VoiceId: 'Ruth', Text: 'Hello', ...fields } as const;
  const {
    AudioStream: audio,
    ContentType,
    RequestCharacters,
  } = await client().send(new SynthesizeSpeechCommand(input));
  const bytes = (await audio?.transformToByteArray()) ?? new Uint8Array();
  return { ContentType, RequestCharacters, bytes: bytes.length };
}

const rate = (value: number, text = 'Hello') =>
  ({ TextType: 'ssml', Text: `<speak><prosody rate="${value}%">${text}</prosody></speak>` }) as const;

/** Bytes of samples, in frames of 24 ms. */
const bytesOf = (seconds: number) => Math.ceil(seconds / 0.024) * 768;

describe('the simulated Amazon Polly', () => {
  it('speaks text, and text in markup, for as long as its characters take', async () => {
    expect(await synthesize({})).toEqual({
      ContentType: 'audio/pcm',
      RequestCharacters: 5,
      bytes: bytesOf(0.5),
    });
    expect(await synthesize(rate(50, 'a &amp; b'))).toMatchObject({
      RequestCharacters: 5,
      bytes: bytesOf(1),
    });
    expect(await synthesize({ OutputFormat: 'mp3' })).toMatchObject({
      ContentType: 'audio/mpeg',
      bytes: 21 * 144,
    });
  });

  it('cuts off audio after ten minutes', async () => {
    expect(await synthesize({ Text: '漢'.repeat(1_999) })).toMatchObject({ bytes: bytesOf(599.7) });
    expect(await synthesize({ Text: '漢'.repeat(2_500) })).toMatchObject({ bytes: bytesOf(600) });
  });

  it.each<[string, Partial<SynthesizeSpeechCommandInput>]>([
    ['TextLengthExceededException', { Text: 'a'.repeat(3_001) }],
    ['TextLengthExceededException', rate(100, '&amp;'.repeat(1_300))],
    ['ValidationException', { VoiceId: 'nobody' as 'Ruth' }],
    ['ValidationException', { VoiceId: 'Arthur', Engine: 'generative' }],
    ['ValidationException', { Engine: 'newest' as 'neural' }],
    ['InvalidSampleRateException', { SampleRate: '44100' }],
    ['InvalidSsmlException', rate(201)],
    ['InvalidSsmlException', rate(19)],
    ['InvalidSsmlException', rate(100, 'a & b')],
    ['InvalidSsmlException', rate(100, 'a < b')],
    ['InvalidSsmlException', rate(100, '</prosody>')],
    ['InvalidSsmlException', { TextType: 'ssml', Text: 'no element' }],
    ['InvalidSsmlException', { TextType: 'ssml', Text: '<speak>open' }],
  ])('rejects what Polly rejects: %s, %j', async (name, fields) => {
    await expect(synthesize(fields)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  it('throttles with status 400, and fails with 500', async () => {
    await upstream.fault({ status: 429 });
    await expect(synthesize({})).rejects.toMatchObject({
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 400 },
    });
    await upstream.fault({ status: 500 });
    await expect(synthesize({})).rejects.toMatchObject({ name: 'ServiceFailureException' });
  });

  it('lists the voices of an engine, in pages', async () => {
    const names: (string | undefined)[] = [];
    let token: string | undefined;
    do {
      const page = await client().send(new DescribeVoicesCommand({ Engine: 'generative', NextToken: token }));
      names.push(...(page.Voices ?? []).map(({ Id: id }) => id));
      token = page.NextToken;
    } while (token !== undefined);
    expect(names).toEqual(expect.arrayContaining(['Joanna', 'Brian', 'Tiffany', 'Vicki']));
    expect(names).not.toContain('Arthur');
    expect(new Set(names).size).toBe(names.length);
    const unknown = new DescribeVoicesCommand({ Engine: 'newest' as 'neural' });
    await expect(client().send(unknown)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('rejects a request that is signed for another service', async () => {
    const response = await upstream.postTo('/v1/speech', { Text: 'Hi' });
    expect(response.status).toBe(403);
  });
});
