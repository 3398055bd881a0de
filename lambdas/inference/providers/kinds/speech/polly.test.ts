import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../../../../../tools/simulators/testing/models/running-upstream.ts';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { wireServer } from '../../../../platform/testing/connections/wire-server.ts';
import { POLLY_ENGINES } from '../../../core/catalog/route-document.ts';
import type { SpeechOutput } from '../../../core/kinds/speech/speech.ts';
import { lengthOfMp3 } from '../../../core/kinds/transcriptions/lengths/mp3.ts';
import { lengthOfWav } from '../../../core/kinds/transcriptions/lengths/wav.ts';
import { ByteWindows } from '../../../core/kinds/transcriptions/lengths/windows.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { failureOf } from '../../../testing/providers/http-calls.ts';
import { attemptOf, pollyClient, speechModel } from '../../../testing/providers/kinds/polly-calls.ts';
import { speechOfPolly } from './polly.ts';

const upstream = runningUpstream();
const wire = wireServer();

interface Options {
  readonly route?: object;
  readonly origin?: string;
  readonly signal?: AbortSignal;
}

const warnings: unknown[] = [];
const log = {
  info: () => {},
  error: () => undefined,
  warn: (...entry: unknown[]) => void warnings.push(entry),
};

const speak = (payload: JsonObject, { route = {}, origin = upstream.running.url, signal }: Options = {}) => {
  const model = speechModel(origin, {}, route);
  const request = { input: 'Hello.', voice: 'Ruth', response_format: 'mp3', ...payload };
  return speechOfPolly({ pollyClient, log })(attemptOf(model, request, signal));
};

async function bytesOf({ first, rest }: SpeechOutput): Promise<Buffer> {
  const chunks = [first];
  for (let next = await rest.next(); !next.done; next = await rest.next()) chunks.push(next.value);
  return Buffer.concat(chunks);
}

const READERS = { mp3: lengthOfMp3, wav: lengthOfWav };

const secondsOf = async (format: keyof typeof READERS, bytes: Buffer) =>
  (await READERS[format](new ByteWindows(new Blob([new Uint8Array(bytes)]))))?.seconds;

/** The requests of the simulator since `count` of them. */
async function synthesesAfter(count: number): Promise<Record<string, unknown>[]> {
  const listed = await (await upstream.control('GET', '/requests')).json();
  const { requests } = listed as { requests: { body: Record<string, unknown> }[] };
  return requests.slice(count).map(({ body }) => body);
}

async function sentBy(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const { length } = await synthesesAfter(0);
  await work();
  return synthesesAfter(length);
}

describe('speech of Amazon Polly', () => {
  const CASES = POLLY_ENGINES.flatMap((engine) =>
    (['mp3', 'wav'] as const).map((format) => [engine, format] as const),
  );

  it.each(CASES)(
    'lasts as long as the text takes, by the readers of the service: %s, %s',
    async (engine, format) => {
      const voice = engine === 'standard' ? 'Joanna' : 'Ruth';
      const input = 'The quick brown fox jumps over the lazy dog. '.repeat(10);
      const output = await speak(
        { input, voice, response_format: format },
        { route: { upstream_model: engine } },
      );
      expect(await secondsOf(format, await bytesOf(output))).toBeCloseTo(input.length * 0.1, 1);
    },
  );

  it.each(['mp3', 'wav'])('starts before the route has sent all of it: %s', async (format) => {
    await upstream.fault({ wait_after_chunks: 1 });
    const output = await speak({ input: 'Hello. '.repeat(100), response_format: format });
    expect(output.first.length).toBeGreaterThan(0);
    await upstream.control('DELETE', '/faults');
    expect((await bytesOf(output)).length).toBeGreaterThan(output.first.length);
  });

  it('comes in 24 kHz as MP3, and in samples of 16 kHz behind a header without a length as WAV', async () => {
    const [mp3] = await sentBy(async () => bytesOf(await speak({})));
    expect(mp3).toEqual({
      Engine: 'neural',
      OutputFormat: 'mp3',
      SampleRate: '24000',
      Text: 'Hello.',
      TextType: 'text',
      VoiceId: 'Ruth',
    });
    const wav = await bytesOf(await speak({ response_format: 'wav' }));
    expect(wav.subarray(0, 44).toString('latin1')).toBe(
      'RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\xff\xff\xff\xff',
    );
  });

  it.each([
    ['Han characters', '春眠不覺曉處處聞啼鳥'.repeat(409), 1, 0.3],
    ['Thai letters', 'สวัสดีชาวโลก'.repeat(341), 2, 0.3],
    ['Latin letters', 'The quick brown fox. '.repeat(195), 0.25, 0.1],
    ['emoji', '😀'.repeat(2_048), 1, 1],
  ])(
    'loses nothing of a long text, which one request would cut off: %s',
    async (_name, input, speed, seconds) => {
      warnings.length = 0;
      const sent = await sentBy(async () => {
        const bytes = await bytesOf(await speak({ input, speed }));
        const expected = ([...input].length * seconds) / speed;
        expect(expected).toBeGreaterThan(600);
        expect((await secondsOf('mp3', bytes)) ?? 0).toBeGreaterThanOrEqual(expected - 0.01);
      });
      expect(sent.length).toBeGreaterThan(1);
      expect(warnings).toEqual([]);
    },
  );

  it.each([1, 0.5, 1.337, 2])('reads markup and special characters aloud, at speed %p', async (speed) => {
    warnings.length = 0;
    const input = `<speak>Tom & "Jerry" <break time="9s"/> isn't 1 > 2 &amp; so</speak>`;
    const [sent] = await sentBy(async () => {
      const bytes = await bytesOf(await speak({ input, speed }));
      const expected = (input.length * 0.1) / (Math.round(speed * 100) / 100);
      expect(await secondsOf('mp3', bytes)).toBeCloseTo(expected, 1);
    });
    expect(sent?.TextType).toBe(speed === 1 ? 'text' : 'ssml');
    if (speed === 1) expect(sent?.Text).toBe(input);
    expect(warnings).toEqual([]);
  });

  it('uses the voice that the route names for the voice of the caller, or else the voice itself', async () => {
    const route = { voice_names: { alloy: 'Joanna' } };
    const sent = await sentBy(async () => {
      for (const voice of ['alloy', 'Vicki']) await bytesOf(await speak({ voice }, { route }));
    });
    expect(sent.map(({ VoiceId }) => VoiceId)).toEqual(['Joanna', 'Vicki']);
  });

  it.each(['constructor', '__proto__'])(
    'sends the voice of the caller unchanged, although objects have one by this name: %s',
    async (voice) => {
      const sent = await sentBy(async () => {
        const failure = await failureOf(speak({ voice }, { route: { voice_names: { alloy: 'Joanna' } } }));
        expect(failure).toMatchObject({ status: 400, retryable: false, param: 'voice' });
      });
      expect(sent.map(({ VoiceId }) => VoiceId)).toEqual([voice]);
    },
  );

  it('causes a log of the counts if Polly counts more characters than the service', async () => {
    warnings.length = 0;
    wire.respond = (response) =>
      void response
        .writeHead(200, { 'content-type': 'audio/mpeg', 'x-amzn-requestcharacters': '9' })
        .end('audio');
    await bytesOf(await speak({ input: 'Hello.' }, { origin: wire.origin }));
    expect(warnings).toEqual([
      ['a route counted more characters', { route: 'polly', characters: 6, counted: 9 }],
    ]);
  });

  it('joins MP3 without the tags of later parts, however the bytes arrive', async () => {
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x14', 'latin1'), Buffer.alloc(20, 'x')]);
    for (const sizes of [[1], [4, 30], [1_000]]) {
      wire.forget();
      wire.respond = async (response) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg' });
        let rest = Buffer.concat([tag, Buffer.from(`frames${wire.requests.length}`)]);
        for (let index = 0; rest.length > 0; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          await new Promise((resolve) => response.write(rest.subarray(0, size), resolve));
          rest = rest.subarray(size);
        }
        response.end();
      };
      const bytes = await bytesOf(await speak({ input: '漢'.repeat(2_000) }, { origin: wire.origin }));
      expect(bytes.toString('latin1')).toBe(`${tag.toString('latin1')}frames1frames2`);
    }
  });
});

describe('a failure of Amazon Polly', () => {
  const respondWith = (status: number, name: string, message: string) => {
    wire.respond = (response) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': `${name}:http://x/` })
        .end(JSON.stringify({ message }));
  };
  const failure = (payload: JsonObject = {}) => failureOf(speak(payload, { origin: wire.origin }));

  it('cools the route down if it is throttling, which has the status 400', async () => {
    await upstream.fault({ status: 429 });
    expect(await failureOf(speak({}))).toMatchObject({ status: 429, retryable: true });
    respondWith(400, 'ThrottlingException', 'Rate exceeded');
    expect(await failure()).toMatchObject({ kind: 'status', status: 429, retryable: true });
  });

  it.each([
    [500, 'ServiceFailureException', 'An unknown condition has caused a service failure.'],
    [403, 'AccessDeniedException', 'User is not authorized to perform polly:SynthesizeSpeech'],
    [400, 'UnrecognizedClientException', 'The security token included in the request is invalid.'],
    [400, 'ValidationException', 'The selected engine is not supported in this region'],
  ])('leads to the next route: %p %s, %s', async (status, name, message) => {
    respondWith(status, name, message);
    expect(await failure()).toMatchObject({ kind: 'status', status, retryable: true, rejection: undefined });
  });

  it.each([
    ['ValidationException', 'This voice does not support the selected engine: neural', 'voice'],
    ['ValidationException', "Value 'x' at 'voiceId' failed to satisfy constraint", 'voice'],
    ['EngineNotSupportedException', 'The engine is not compatible.', 'voice'],
    ['LanguageNotSupportedException', 'The language is not supported.', 'input'],
    ['TextLengthExceededException', 'Maximum text length has been exceeded', 'input'],
    ['InvalidSsmlException', 'Invalid SSML request', 'input'],
  ])('names the field that is at fault: %s, %s', async (name, message, param) => {
    respondWith(400, name, message);
    expect(await failure()).toMatchObject({ status: 400, retryable: false, param });
  });

  it.each([
    ['nobody', 'neural'],
    ['Arthur', 'generative'],
  ])('names the voice that the engine does not have: %s, %s', async (voice, engine) => {
    const rejection = await failureOf(speak({ voice }, { route: { upstream_model: engine } }));
    expect(rejection).toMatchObject({ status: 400, retryable: false, param: 'voice' });
  });

  it('names a text without anything to speak, before any request', async () => {
    expect(await failure({ input: ' \n ' })).toMatchObject({ status: 400, retryable: false, param: 'input' });
    expect(wire.requests).toEqual([]);
  });

  it.each([
    ['text/html', '<!doctype html>'],
    ['application/json', ''],
  ])('leads to the next route if the response is not audio: %s', async (type, body) => {
    wire.respond = (response) => void response.writeHead(200, { 'content-type': type }).end(body);
    expect(await failure()).toMatchObject({ kind: 'protocol', retryable: true });
  });

  it('names a text of which the voice speaks nothing, and not the route', async () => {
    wire.respond = (response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end();
    expect(await failure()).toMatchObject({ status: 400, retryable: false, param: 'input' });
  });

  it('states the reason of the clock that ends the attempt', async () => {
    const controller = new AbortController();
    wire.respond = () => controller.abort(new UpstreamFailure('timeout'));
    const { signal } = controller;
    expect(await failureOf(speak({}, { origin: wire.origin, signal }))).toMatchObject({ kind: 'timeout' });
  });

  it.each([
    ['is rejected', { status: 500 }, 'status'],
    ['breaks off', { cut_after_chunks: 1 }, 'interrupted'],
  ])('ends the speech after what has been sent if a later part %s', async (_name, fault, kind) => {
    const input = '漢'.repeat(2_000);
    const output = await speak({ input });
    await upstream.fault(fault);
    const received = { bytes: output.first.length };
    const rest = async () => {
      for (let next = await output.rest.next(); !next.done; next = await output.rest.next())
        received.bytes += next.value.length;
    };
    expect(await failureOf(rest())).toMatchObject({ kind });
    expect(received.bytes).toBeGreaterThan(output.first.length);
  });
});
