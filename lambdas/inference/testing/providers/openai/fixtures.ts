/** The recorded streams, as bytes and as what they say. */
import { join } from 'node:path';
import { nativePayloadOf } from '../payloads.ts';
import { SIGNATURES } from '../sealing.ts';
import { recordingsIn } from '../streams.ts';

export const NAMES = [
  'text',
  'parallel-tool-calls',
  'without-done',
  'two-choices',
  'comments-and-fields',
  'refusal',
] as const;

/** The identity that answers get: nothing of the upstream's own names may be left. */
export const IDENTITY = { id: 'chatcmpl-01ARZ3NDEKTSV4RRFFQ69G5FAV', model: 'sim/chat' };

export const nativePayload = nativePayloadOf('openai');

/** The properties of a call that are needed to read its response: for a caller of the protocol, and for any other. */
export const CALL = { route: {}, payload: nativePayload(), identity: IDENTITY, signatures: SIGNATURES };
export const CONVERTED = { ...CALL, payload: { ...CALL.payload, protocol: 'anthropic' as const } };

export type WireChunk = Readonly<Record<string, unknown>> & {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Readonly<Record<string, unknown>>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, unknown>> | null;
};

const { bytesOf, jsonOf, eventsOf } = recordingsIn(join(import.meta.dirname, 'fixtures'));

export { bytesOf, jsonOf };
export const chunksOf = (name: string) => eventsOf(name) as WireChunk[];
