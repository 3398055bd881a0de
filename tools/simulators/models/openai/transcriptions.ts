/** `POST /v1/audio/transcriptions` (OpenAI API reference, "Create transcription"). */
import { createHash } from 'node:crypto';
import { parseBuffer } from 'music-metadata';
import { z } from 'zod';
import { jsonResponse, type SimulatedCall } from '../exchange/reply.ts';
import { RequestError, readRequest } from '../exchange/request-error.ts';
import { proseOfWords } from '../model/prose.ts';
import { randomFrom } from '../model/random.ts';

/** OpenAI's speech to text guide: files may have 25 MB. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;

const granularity = z.enum(['word', 'segment']);

const transcriptionRequestSchema = z.looseObject({
  model: z.string().min(1),
  file: z.instanceof(File),
  response_format: z.enum(['json', 'verbose_json']).nullish(),
  language: z.string().nullish(),
  /** The times that a verbose transcript has (API reference, `timestamp_granularities`). */
  'timestamp_granularities[]': z.union([granularity, z.array(granularity)]).default('segment'),
});

async function secondsOf(bytes: Uint8Array, file: File): Promise<number | undefined> {
  try {
    const { format } = await parseBuffer(bytes, { mimeType: file.type, size: file.size }, { duration: true });
    return format.duration;
  } catch {
    return undefined;
  }
}

interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** About what people say in that time. */
const SECONDS_PER_SEGMENT = 5;
const WORDS_PER_SEGMENT = 12;

/** Words that depend on the audio alone, in segments that span its true length. */
function transcribe(audio: Uint8Array, seconds: number): readonly Segment[] {
  const random = randomFrom(createHash('sha256').update(audio).digest('hex'));
  return Array.from({ length: Math.ceil(seconds / SECONDS_PER_SEGMENT) }, (_, index) => ({
    start: index * SECONDS_PER_SEGMENT,
    end: Math.min(seconds, (index + 1) * SECONDS_PER_SEGMENT),
    text: ` ${proseOfWords(random, index, WORDS_PER_SEGMENT)}`,
  }));
}

/** The words of a segment, each as long as the others. */
function wordsOf({ start, end, text }: Segment) {
  const words = text.trim().split(' ');
  const length = (end - start) / words.length;
  return words.map((word, at) => ({ word, start: start + at * length, end: start + (at + 1) * length }));
}

/** With everything that the API reference lists of a segment. */
const segmentBody = ({ start, end, text }: Segment, id: number) => ({
  id,
  seek: Math.round(start * 100),
  start,
  end,
  text,
  tokens: [50_364 + id],
  temperature: 0,
  avg_logprob: -0.2,
  compression_ratio: 1.2,
  no_speech_prob: 0.01,
});

export async function respondWithTranscript({ body, fault }: SimulatedCall) {
  const request = readRequest(transcriptionRequestSchema, body);
  const { file, response_format: format, language } = request;
  const granularities = [request['timestamp_granularities[]']].flat();
  if (file.size > MAX_FILE_BYTES)
    throw new RequestError('Maximum content size limit exceeded', [], { status: 413 });
  const bytes = new Uint8Array(await file.arrayBuffer());
  const seconds = await secondsOf(bytes, file);
  if (seconds === undefined) throw new RequestError('Invalid file format', ['file']);
  const segments = transcribe(bytes, seconds);
  const text = segments.map((segment) => segment.text.trim()).join(' ');
  const counted = fault.no_usage !== true;
  if (format !== 'verbose_json')
    return jsonResponse(200, { text, ...(counted ? { usage: { type: 'duration', seconds } } : {}) });
  return jsonResponse(200, {
    task: 'transcribe',
    language: language ?? 'english',
    ...(counted ? { duration: seconds } : {}),
    text,
    ...(granularities.includes('segment') ? { segments: segments.map(segmentBody) } : {}),
    ...(granularities.includes('word') ? { words: segments.flatMap(wordsOf) } : {}),
  });
}
