/** `POST /v1/audio/transcriptions` (OpenAI API reference, "Create transcription"). */
import { parseBuffer } from 'music-metadata';
import { z } from 'zod';
import { type Call, jsonReply, type Reply } from '../exchange/reply.ts';
import { type Segment, transcribe } from '../model/transcript.ts';
import { errorReply } from './protocol.ts';
import { validationError } from './validation-error.ts';

const NOT_A_FORM = 'Could not parse multipart form';

const UNREADABLE = {
  message:
    "Invalid file format. Supported formats: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']",
  param: 'file',
};

/** OpenAI's speech to text guide: files may have 25 MB. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;

const transcriptionRequestSchema = z.looseObject({
  model: z.string().min(1),
  file: z.instanceof(File),
  response_format: z.enum(['json', 'verbose_json']).nullish(),
  language: z.string().nullish(),
});

/** The length that a player would find, by reading the file to its end. */
async function secondsOf(bytes: Uint8Array, file: File): Promise<number | undefined> {
  try {
    const { format } = await parseBuffer(bytes, { mimeType: file.type, size: file.size }, { duration: true });
    return format.duration;
  } catch {
    return undefined;
  }
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

export async function replyWithTranscript({ body, fault }: Call): Promise<Reply> {
  if (body === undefined) return errorReply(400, { message: NOT_A_FORM });
  const parsed = transcriptionRequestSchema.safeParse(body);
  if (!parsed.success) return errorReply(400, validationError(parsed.error, body));
  const { file, response_format: format, language } = parsed.data;
  if (file.size > MAX_FILE_BYTES)
    return errorReply(413, { message: `Maximum content size limit (${MAX_FILE_BYTES}) exceeded` });
  const bytes = new Uint8Array(await file.arrayBuffer());
  const seconds = await secondsOf(bytes, file);
  if (seconds === undefined) return errorReply(400, UNREADABLE);
  const segments = transcribe(bytes, seconds);
  const text = segments.map((segment) => segment.text.trim()).join(' ');
  const counted = fault.no_usage !== true;
  if (format !== 'verbose_json')
    return jsonReply(200, { text, ...(counted ? { usage: { type: 'duration', seconds } } : {}) });
  return jsonReply(200, {
    task: 'transcribe',
    language: language ?? 'english',
    ...(counted ? { duration: seconds } : {}),
    text,
    segments: segments.map(segmentBody),
  });
}
