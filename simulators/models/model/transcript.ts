/** Transcripts of a simulated model: words that depend on the audio alone, in segments that span its true length. */
import { createHash } from 'node:crypto';
import { proseOfWords } from './prose.ts';
import { randomFrom } from './random.ts';

export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** About what people say in that time. */
const SECONDS_PER_SEGMENT = 5;
const WORDS_PER_SEGMENT = 12;

export function transcribe(audio: Uint8Array, seconds: number): readonly Segment[] {
  const random = randomFrom(createHash('sha256').update(audio).digest('hex'));
  return Array.from({ length: Math.ceil(seconds / SECONDS_PER_SEGMENT) }, (_, index) => ({
    start: index * SECONDS_PER_SEGMENT,
    end: Math.min(seconds, (index + 1) * SECONDS_PER_SEGMENT),
    text: ` ${proseOfWords(random, index, WORDS_PER_SEGMENT)}`,
  }));
}
