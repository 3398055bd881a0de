/** Speech of Amazon Polly (Amazon Polly API reference, SynthesizeSpeech). */
import { type Engine, type PollyClient, SynthesizeSpeechCommand, type VoiceId } from '@aws-sdk/client-polly';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Log } from '../../../../platform/core/ports.ts';
import type { CatalogRoute } from '../../../core/catalog/catalog-document.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { SpeechOutput, SpeechRequest } from '../../../core/kinds/speech/speech.ts';
import { tagBytes } from '../../../core/kinds/transcriptions/lengths/windows.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { toFailure } from '../../bedrock/errors.ts';
import { rejectionOf } from '../../rejections/rejection.ts';
import { boundedResponse, speechBytes } from '../../response-bytes.ts';
import { startSpeech } from '../start-speech.ts';
import { escapedXml, partsOf } from './polly-parts.ts';

export interface PollyDependencies {
  /** Returns the client for a route's address. */
  readonly pollyClient: (baseUrl: string) => PollyClient;
  readonly log: Log;
}

/** The formats of the interface as Polly makes them. Its samples of 16 bits have 16 kHz at most. */
const OUTPUTS = {
  mp3: { OutputFormat: 'mp3', SampleRate: '24000' },
  wav: { OutputFormat: 'pcm', SampleRate: '16000' },
} as const;

/** Speaks the parts of the text one after the other, so that the first one is heard at once. */
export function speechOfPolly(dependencies: PollyDependencies): ProviderCall<JsonObject, SpeechOutput> {
  return async ({ route, payload, clock: { signal } }) => {
    const request = payload as SpokenRequest;
    const { input, speed, response_format: format } = request;
    const parts = partsOf(input, speed ?? 1);
    if (parts.length === 0) throw rejected('input', 'there is nothing to speak');
    const output = await startSpeech(
      audioOf({ ...dependencies, route, request, signal }, parts),
      payload,
      signal,
      // Polly may have nothing to say in another script than that of the voice, and the route is not at fault.
      () => rejected('input', 'the voice speaks nothing of this text'),
    );
    return format === 'wav' ? { ...output, first: Buffer.concat([WAV_HEADER, output.first]) } : output;
  };
}

/** The request as `toPayload` makes it. */
type SpokenRequest = SpeechRequest & { readonly voice: string };

interface Speech extends PollyDependencies {
  readonly route: CatalogRoute;
  readonly request: SpokenRequest;
  readonly signal: AbortSignal;
}

/** Samples follow each other, and so do frames of MP3. */
async function* audioOf(speech: Speech, parts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  const isMp3 = speech.request.response_format !== 'wav';
  for (const [index, part] of parts.entries()) {
    const audio = await synthesize(speech, part);
    yield* isMp3 && index > 0 ? withoutTag(audio) : audio;
  }
}

async function synthesize(speech: Speech, part: string): Promise<AsyncIterable<Uint8Array>> {
  const { pollyClient, log, route, request, signal } = speech;
  const { voice, speed, response_format: format } = request;
  const command = new SynthesizeSpeechCommand({
    Engine: route.upstream_model as Engine,
    VoiceId: voiceIdOf(route, voice) as VoiceId,
    ...OUTPUTS[format ?? 'mp3'],
    ...textOf(part, speed ?? 1),
  });
  command.middlewareStack.add(boundedResponse(speechBytes(request)), {
    step: 'deserialize',
    priority: 'low',
  });
  try {
    signal.throwIfAborted();
    const output = await pollyClient(route.base_url).send(command, { abortSignal: signal });
    const { AudioStream: audio, ContentType: type = '', RequestCharacters: counted } = output;
    const characters = [...part].length;
    if (counted !== undefined && counted > characters)
      log.warn('a route counted more characters', { route: route.id, characters, counted });
    if (audio === undefined || !type.startsWith('audio/')) throw new UpstreamFailure('protocol');
    return audio as AsyncIterable<Uint8Array>;
  } catch (failure) {
    throw toPollyFailure(failure, signal);
  }
}

/** A name that every object has, such as `constructor`, is no name of a voice. */
const voiceIdOf = ({ voice_names: names = {} }: CatalogRoute, voice: string): string =>
  (Object.hasOwn(names, voice) ? names[voice] : undefined) ?? voice;

/** Markup in a text is spoken, because only the service's own is sent as such. */
const textOf = (part: string, speed: number) =>
  speed === 1
    ? ({ TextType: 'text', Text: part } as const)
    : ({
        TextType: 'ssml',
        Text: `<speak><prosody rate="${Math.round(speed * 100)}%">${escapedXml(part)}</prosody></speak>`,
      } as const);

/**
 * A RIFF header of 16-bit mono samples at 16 kHz (Microsoft, "Multiple channel audio data and WAVE files"). Its two sizes
 * are the largest numbers: the length is unknown when the audio starts.
 */
const WAV_HEADER = Buffer.concat([
  Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1'),
  // The length of the format; samples in one channel; samples and bytes a second; 2 bytes of 16 bits.
  Buffer.from(Uint32Array.of(16, 0x1_0001, 16_000, 32_000, 0x10_0002).buffer),
  Buffer.from('data\xff\xff\xff\xff', 'latin1'),
]);

const MIN_TAG_BYTES = 10;

/** Yields an MP3 without the tag that may precede its frames. A tag may state any length, so it is not kept. */
async function* withoutTag(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let head = Buffer.alloc(0);
  let left: number | undefined;
  for await (let bytes of audio) {
    if (left === undefined) {
      head = Buffer.concat([head, bytes]);
      if (head.length < MIN_TAG_BYTES) continue;
      left = tagBytes(head);
      bytes = head;
    }
    yield bytes.subarray(left);
    left = Math.max(0, left - bytes.length);
  }
  if (left === undefined) yield head;
}

/** Errors by which Polly rejects the text or the voice of a request. */
const REJECTIONS: ReadonlySet<unknown> = new Set([
  'EngineNotSupportedException',
  'InvalidSsmlException',
  'LanguageNotSupportedException',
  'TextLengthExceededException',
  'ValidationException',
]);

/**
 * Returns the failure for an error of Polly by its name, because also a throttled request has the status 400 (Amazon Polly
 * developer guide, Quotas).
 */
function toPollyFailure(thrown: unknown, signal: AbortSignal): UpstreamFailure {
  const { name, message = '' } = Object(thrown) as { readonly name?: string; readonly message?: string };
  if (name === 'ThrottlingException') return new UpstreamFailure('status', { status: 429 });
  // "The selected engine is not supported in this region" is the fault of the route.
  if (!REJECTIONS.has(name) || /\bregion\b/i.test(message)) return toFailure(thrown, signal);
  // "Value 'x' at 'voiceId' failed to satisfy constraint", "This voice does not support the selected engine".
  const isVoice = name === 'EngineNotSupportedException' || /voice/i.test(message);
  return rejected(isVoice ? 'voice' : 'input', message);
}

const rejected = (param: 'voice' | 'input', message: string): UpstreamFailure =>
  new UpstreamFailure('status', {
    status: 400,
    retryable: false,
    param,
    rejection: rejectionOf(400, message),
  });
