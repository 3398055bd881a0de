/** Transcripts of a server of the OpenAI protocol (OpenAI API reference, Create transcription). */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { TranscriptionPayload } from '../../../core/kinds/transcriptions/endpoint.ts';
import { requestsWords } from '../../../core/kinds/transcriptions/schema.ts';
import type { TimedWord, Transcript } from '../../../core/kinds/transcriptions/transcript.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { transcriptBytes } from '../../response-bytes.ts';
import { type FormBody, formBody } from '../form-body.ts';
import { type OpenAiHttp, requestJson } from '../openai-http.ts';

export function transcriptionsOfOpenAi(http: OpenAiHttp): ProviderCall<TranscriptionPayload, Transcript> {
  return async ({ route, payload, clock: { signal }, traceparent }) => {
    const body = toForm(payload, route.upstream_model);
    const maxBytes = transcriptBytes(payload.content.size);
    const request = { route, path: '/audio/transcriptions', body, signal, traceparent, maxBytes };
    return toTranscript(await requestJson(http, request), requestsWords(payload.fields));
  };
}

/** Returns the form. The file retains its type but not its name, which no route needs. */
function toForm({ content, type, fields }: TranscriptionPayload, model: string): FormBody {
  return formBody(
    [
      ['model', model],
      // The only format that reports the duration with every model that supports it.
      ['response_format', 'verbose_json'],
      ...fields,
    ],
    { name: `audio.${type.extension}`, type: type.mimeType, content },
  );
}

function toTranscript(
  { text, language, duration, usage, segments, words }: JsonObject,
  isTimed: boolean,
): Transcript {
  if (typeof text !== 'string') throw new UpstreamFailure('protocol');
  const { seconds } = (usage ?? {}) as Readonly<Record<string, unknown>>;
  return {
    text,
    language: typeof language === 'string' ? language : undefined,
    duration: [duration, seconds].map(toSeconds).find((value) => value !== undefined),
    segments: (Array.isArray(segments) ? segments : []).filter(isSegment),
    words: isTimed && Array.isArray(words) ? words.flatMap(toTimedWord) : undefined,
  };
}

/** Returns nothing for a word without its times. */
function toTimedWord(value: unknown): TimedWord[] {
  const { word, start, end } = Object(value) as Readonly<Record<string, unknown>>;
  const [from, to] = [toSeconds(start), toSeconds(end)];
  return typeof word !== 'string' || from === undefined || to === undefined
    ? []
    : [{ word, start: from, end: to }];
}

/** Some servers write the duration as text. */
function toSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

const isSegment = (value: unknown): value is JsonObject =>
  typeof (value as { text?: unknown } | null)?.text === 'string';
