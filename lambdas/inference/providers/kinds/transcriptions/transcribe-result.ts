/** The file that a job of Amazon Transcribe writes (its developer guide, "Data input and output"). */
import * as z from 'zod';
import { ownSeconds } from '../../../core/kinds/transcriptions/duration.ts';
import type { TranscriptionPayload } from '../../../core/kinds/transcriptions/endpoint.ts';
import { requestsWords } from '../../../core/kinds/transcriptions/schema.ts';
import type { TimedWord, Transcript } from '../../../core/kinds/transcriptions/transcript.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';

/** Times are text. */
const seconds = z.coerce.number().min(0);

const item = z.object({
  type: z.string(),
  start_time: seconds.optional(),
  end_time: seconds.optional(),
  alternatives: z.array(z.object({ content: z.string() })),
});

const resultFile = z.object({
  results: z.object({
    transcripts: z.array(z.object({ transcript: z.string() })).min(1),
    items: z.array(item).default([]),
    audio_segments: z
      .array(z.object({ transcript: z.string(), start_time: seconds, end_time: seconds }))
      .default([]),
    language_code: z.string().optional(),
  }),
});

type Item = z.infer<typeof item>;

/** Reads the file. Throws `UpstreamFailure` for any other. */
export function toTranscript(text: string, payload: TranscriptionPayload): Transcript {
  const { results } = parse(text);
  const { length, content } = payload;
  const endSeconds = results.items.reduce((latest, { end_time: end = 0 }) => Math.max(latest, end), 0);
  // The file does not state the length of the recording, of which AWS bills silence too.
  const ownLength = length === undefined ? 0 : ownSeconds({ bytes: content.size, length });
  return {
    text: results.transcripts.map(({ transcript }) => transcript).join(' '),
    language: results.language_code?.split('-')[0],
    duration: Math.max(ownLength, endSeconds),
    isEstimated: length === undefined,
    segments: results.audio_segments.map((segment, id) => ({
      id,
      start: segment.start_time,
      end: segment.end_time,
      text: segment.transcript,
    })),
    words: requestsWords(payload.fields) ? wordsOf(results.items) : undefined,
  };
}

function parse(text: string): z.infer<typeof resultFile> {
  try {
    return resultFile.parse(JSON.parse(text));
  } catch {
    throw new UpstreamFailure('protocol');
  }
}

/** Returns the words. A punctuation mark, which has no time, belongs to the word before it. */
function wordsOf(items: readonly Item[]): readonly TimedWord[] {
  const words: TimedWord[] = [];
  for (const { type, start_time: start, end_time: end, alternatives } of items) {
    const word = alternatives[0]?.content ?? '';
    const last = words.at(-1);
    if (type === 'pronunciation' && start !== undefined && end !== undefined)
      words.push({ word, start, end });
    else if (last !== undefined) words[words.length - 1] = { ...last, word: last.word + word };
  }
  return words;
}
