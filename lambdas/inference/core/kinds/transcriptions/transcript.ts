/** A transcript as routes give it and as callers get it. */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { TranscriptionFields } from './schema.ts';

/** The response of a route. */
export interface Transcript {
  readonly text: string;
  readonly language: string | undefined;
  /** Seconds, as the route measured them. */
  readonly duration: number | undefined;
  /** True if the route has not measured them itself. */
  readonly isEstimated?: boolean;
  /** With `id`, `start`, `end`, `text` and whatever else the route reports; empty when it reports nothing. */
  readonly segments: readonly JsonObject[];
  /** The time of each word; absent if the caller did not request it, or the route does not report it. */
  readonly words?: readonly TimedWord[] | undefined;
}

export interface TimedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the body for the caller. `text` is returned as JSON too (interface, Transcription request). */
export function transcriptBody(
  { text, language, duration, segments, words }: Transcript,
  { response_format: format, language: requestedLanguage }: TranscriptionFields,
  seconds: number,
): string {
  if (format !== 'verbose_json') return JSON.stringify({ text });
  const fallbackSegments = [{ id: 0, start: 0, end: duration ?? seconds, text }];
  return JSON.stringify({
    task: 'transcribe',
    language: language ?? requestedLanguage ?? 'unknown',
    duration: duration ?? seconds,
    text,
    segments: segments.length > 0 ? segments : fallbackSegments,
    ...(words === undefined ? {} : { words }),
  });
}
