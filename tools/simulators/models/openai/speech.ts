/** `POST /v1/audio/speech` (OpenAI API reference, "Create speech"): audio in chunks, at the pace of a stream. */
import { z } from 'zod';
import type { SimulatedCall, SimulatedEvent, StreamEncoding, WireProtocol } from '../exchange/reply.ts';
import { readRequest } from '../exchange/request-error.ts';
import { frameCount, mp3Frame, wavFrame, wavHeader } from '../model/voice.ts';
import { openAiProtocol } from './protocol.ts';

/** OpenAI's text-to-speech guide, "Voice options". */
const VOICES = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'nova',
  'onyx',
  'sage',
  'shimmer',
] as const;

const speechRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.enum(VOICES),
  response_format: z.enum(['mp3', 'wav']).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
});

/** Raw bytes, which events carry as base64. */
export const audioEncoding: StreamEncoding = {
  headers: { 'transfer-encoding': 'chunked' },
  encode: ({ data }) => Buffer.from(data, 'base64'),
  garbage: [Buffer.from('this is no audio')],
};

export const audioProtocol: WireProtocol = { ...openAiProtocol, encoding: audioEncoding };

const FRAMES_PER_CHUNK = 10;

const event = (bytes: Buffer): SimulatedEvent => ({ data: bytes.toString('base64'), part: 'content' });

function* audio(frames: number, format: 'mp3' | 'wav'): Generator<SimulatedEvent> {
  const frame = format === 'mp3' ? mp3Frame : wavFrame;
  for (let start = 0; start < frames; start += FRAMES_PER_CHUNK) {
    const length = Math.min(FRAMES_PER_CHUNK, frames - start);
    const audioFrames = Array.from({ length }, frame);
    const opening = start === 0 && format === 'wav' ? [wavHeader(frames)] : [];
    yield event(Buffer.concat([...opening, ...audioFrames]));
  }
}

export function respondWithSpeech({ body }: SimulatedCall) {
  const request = readRequest(speechRequestSchema, body);
  const { input, response_format: format, speed } = request;
  const contentType = format === 'wav' ? 'audio/wav' : 'audio/mpeg';
  return {
    kind: 'stream' as const,
    headers: { 'content-type': contentType },
    events: audio(frameCount(input, speed ?? 1), format ?? 'mp3'),
  };
}
