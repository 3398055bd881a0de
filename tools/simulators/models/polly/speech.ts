/**
 * `POST /v1/speech` (Amazon Polly API reference, "SynthesizeSpeech"): audio of ten minutes at most, the rest of the text
 * being lost without an error.
 */
import { z } from 'zod';
import type { SimulatedCall, SimulatedEvent } from '../exchange/reply.ts';
import { RequestError, readRequest } from '../exchange/request-error.ts';
import { readSsml } from './ssml.ts';
import { ENGINES, VOICES } from './voices.ts';

const synthesisRequest = z.strictObject({
  Engine: z.enum(ENGINES).default('standard'),
  OutputFormat: z.enum(['mp3', 'pcm']),
  SampleRate: z.string().optional(),
  Text: z.string(),
  TextType: z.enum(['text', 'ssml']).default('text'),
  VoiceId: z.string(),
});

type SynthesisRequest = z.infer<typeof synthesisRequest>;

/** Amazon Polly developer guide, "Quotas". */
const MAX_BILLED_CHARACTERS = 3_000;
const MAX_CHARACTERS = 6_000;
const MAX_SECONDS = 600;

const SAMPLE_RATES = { mp3: '24000', pcm: '16000' } as const;

const FRAME_SECONDS = 0.024;
const FRAMES_PER_CHUNK = 50;

/** Silence: MPEG-2 layer III, 48 kbit/s, 24 kHz, mono (ISO 13818-3), and 16-bit samples at 16 kHz. */
const FRAMES = { mp3: Buffer.alloc(144), pcm: Buffer.alloc(768) };
FRAMES.mp3.set([0xff, 0xf3, 0x64, 0xc4]);

const SYLLABLE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** A slow reader: a character of a syllable, an emoji, any other character. */
function secondsOf(text: string): number {
  let seconds = 0;
  for (const character of text)
    seconds += SYLLABLE.test(character) ? 0.3 : /\p{Extended_Pictographic}/u.test(character) ? 1 : 0.1;
  return seconds;
}

const rejected = (type: string, message: string): RequestError =>
  new RequestError(message, [], { body: { type } });

/** Throws `RequestError` under the names that Polly has for errors. */
function spokenText({ Engine, OutputFormat, SampleRate, Text, TextType, VoiceId }: SynthesisRequest) {
  const voice = Object.hasOwn(VOICES, VoiceId) ? VOICES[VoiceId] : undefined;
  if (voice === undefined)
    throw new RequestError(
      `Value '${VoiceId}' at 'voiceId' failed to satisfy constraint: Member must satisfy enum value set: [${Object.keys(VOICES).join(', ')}]`,
    );
  if (!voice.engines.includes(Engine))
    throw new RequestError(`This voice does not support the selected engine: ${Engine}`);
  if (SampleRate !== undefined && SampleRate !== SAMPLE_RATES[OutputFormat])
    throw rejected('InvalidSampleRateException', 'The specified sample rate is not valid.');
  const spoken = TextType === 'ssml' ? readSsml(Text) : { text: Text, rate: 1 };
  if (spoken.text.length > MAX_BILLED_CHARACTERS || Text.length > MAX_CHARACTERS)
    throw rejected('TextLengthExceededException', 'Maximum text length has been exceeded');
  return spoken;
}

function* audio(seconds: number, frame: Buffer): Generator<SimulatedEvent> {
  const frames = Math.ceil(seconds / FRAME_SECONDS);
  for (let start = 0; start < frames; start += FRAMES_PER_CHUNK) {
    const length = Math.min(FRAMES_PER_CHUNK, frames - start);
    const bytes = Buffer.concat(Array.from({ length }, () => frame));
    yield { data: bytes.toString('base64'), part: 'content' };
  }
}

export function respondWithSynthesis({ body }: SimulatedCall) {
  const request = readRequest(synthesisRequest, body);
  const { text, rate } = spokenText(request);
  const seconds = Math.min(secondsOf(text) / rate, MAX_SECONDS);
  return {
    kind: 'stream' as const,
    headers: {
      'content-type': request.OutputFormat === 'mp3' ? 'audio/mpeg' : 'audio/pcm',
      'x-amzn-requestcharacters': String([...text].length),
    },
    events: audio(seconds, FRAMES[request.OutputFormat]),
  };
}
