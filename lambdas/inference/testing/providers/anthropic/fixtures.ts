/** The streams of the documentation, as bytes and as what they say. */
import { join } from 'node:path';
import type { Conversation } from '../../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../../core/upstream/provider.ts';
import { CONVERSATION, convertedPayload, nativePayloadOf } from '../payloads.ts';
import { SIGNATURES } from '../sealing.ts';
import { recordingsIn } from '../streams.ts';

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

export const nativePayload = nativePayloadOf('anthropic');

/** A call of another surface. */
export const foreignPayload = (conversation: Partial<Conversation> = {}, stream = false): ChatPayload =>
  convertedPayload({ ...CONVERSATION, ...conversation }, stream, 'openai');

/** The properties of a call that are needed to read its response. */
export const NATIVE = { payload: nativePayload(), identity: IDENTITY, signatures: SIGNATURES };
export const FOREIGN = { payload: foreignPayload(), identity: IDENTITY, signatures: SIGNATURES };
export const JSON_MODE = { ...FOREIGN, answerTool: 'json_answer' };

export type WireEvent = Readonly<Record<string, unknown>> & { readonly type: string };

const { bytesOf, jsonOf, eventsOf } = recordingsIn(join(import.meta.dirname, 'fixtures'));

export { bytesOf, jsonOf };
export const wireEventsOf = (name: string) => eventsOf(name) as WireEvent[];
