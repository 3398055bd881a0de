/** The streams of the documentation, as bytes and as what they say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { NO_FIELDS } from '../../../core/fields/read-fields.ts';
import type { Conversation } from '../../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../../core/upstream/provider.ts';
import { SIGNATURES } from '../sealing.ts';

export const NAMES = [
  'text',
  'tool-use',
  'thinking',
  'server-tool',
  'refusal',
  'json-answer',
  'line-forms',
] as const;

/** The identity that answers get: nothing of the upstream's own names may be left. */
export const IDENTITY = { id: 'msg_01ARZ3NDEKTSV4RRFFQ69G5FAV', model: 'sim/chat' };

/** A call of the Messages protocol's own surface. */
export const nativePayload = (body: JsonObject = {}, stream = false): ChatPayload => ({
  protocol: 'anthropic',
  body,
  conversation: () => {
    throw new Error("a route of the caller's own protocol needs no conversion");
  },
  stream,
  fields: NO_FIELDS,
});

export const CONVERSATION: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Grüße' }] }],
  tools: [],
  maxTokens: 256,
  stop: [],
};

/** A call of another surface. */
export const foreignPayload = (conversation: Partial<Conversation> = {}, stream = false): ChatPayload => ({
  protocol: 'openai',
  body: {},
  conversation: () => ({ ...CONVERSATION, ...conversation }),
  stream,
  fields: NO_FIELDS,
});

/** The properties of a call that are needed to read its response. */
export const NATIVE = { payload: nativePayload(), identity: IDENTITY, signatures: SIGNATURES };
export const FOREIGN = { payload: foreignPayload(), identity: IDENTITY, signatures: SIGNATURES };
export const JSON_MODE = { ...FOREIGN, answerTool: 'json_answer' };

const folder = join(import.meta.dirname, 'fixtures');

export const bytesOf = (name: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(readFileSync(join(folder, `${name}.sse`)));

export const jsonOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Record<string, unknown>;

export type WireEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** The events of a stream, read line by line: they have no data but JSON and `[DONE]`. */
export function wireEventsOf(name: string): WireEvent[] {
  return new TextDecoder()
    .decode(bytesOf(name))
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5))
        .join('\n')
        .trim(),
    )
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as WireEvent);
}
