/**
 * An answer in the shapes that Google publishes (Gemini API reference, GenerateContentResponse; Gemini API docs, Thought
 * signatures): it thinks, says something, and calls two tools at once.
 */
import type { RouteEvent } from '../../../core/upstream/provider.ts';
import { GeminiStreamReader } from '../../../providers/gemini/stream.ts';
import { SIGNATURES } from '../sealing.ts';
import { collect, decodedBy, encode, event } from '../streams.ts';

export const CONTEXT = { identity: { id: 'chatcmpl-abc' }, signatures: SIGNATURES };

const USAGE = {
  promptTokenCount: 30,
  cachedContentTokenCount: 10,
  candidatesTokenCount: 8,
  thoughtsTokenCount: 12,
  totalTokenCount: 50,
};

const PARTS = [
  { text: 'Łódź?', thought: true },
  { text: 'Grüße, ' },
  { text: '世界' },
  { functionCall: { name: 'get_weather', args: { city: 'Łódź' } }, thoughtSignature: 'c2ln' },
  { functionCall: { id: 'own', name: 'now' } },
];

const FINAL_EVENT = { finishReason: 'STOP', index: 0 };

export const RESPONSE = {
  candidates: [{ content: { role: 'model', parts: PARTS }, ...FINAL_EVENT }],
  usageMetadata: USAGE,
  modelVersion: 'heron-7f3a',
  responseId: 'heron-7f3a',
};

/** The same in events, each with counts from the start. */
export const EVENTS = PARTS.map((part, at) => ({
  candidates: [
    { content: { role: 'model', parts: [part] }, ...(at === PARTS.length - 1 ? FINAL_EVENT : {}) },
  ],
  usageMetadata: { ...USAGE, candidatesTokenCount: 4 + at },
}));

export const bytesOf = (events: readonly unknown[]): Uint8Array =>
  encode(events.map(event).join('').replaceAll('\n', '\r\n'));

/** The reply events of a stream that comes in these pieces. */
export const read = (...pieces: readonly Uint8Array[]): Promise<RouteEvent[]> =>
  collect(decodedBy(new GeminiStreamReader(CONTEXT), pieces));
