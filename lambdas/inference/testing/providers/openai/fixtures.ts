/** The recorded streams, as bytes and as what they say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { NO_FIELDS } from '../../../core/fields/read-fields.ts';
import type { ChatPayload } from '../../../core/upstream/provider.ts';
import { SIGNATURES } from '../sealing.ts';

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

/** A call of the OpenAI protocol's own surface. */
export const nativePayload = (body: JsonObject = {}, stream = false): ChatPayload => ({
  protocol: 'openai',
  body,
  conversation: () => {
    throw new Error("a route of the caller's own protocol needs no conversion");
  },
  stream,
  fields: NO_FIELDS,
});

/** The properties of a call that are needed to read its response. */
export const CALL = { route: {}, payload: nativePayload(), identity: IDENTITY, signatures: SIGNATURES };

const folder = join(import.meta.dirname, 'fixtures');

export const bytesOf = (name: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(readFileSync(join(folder, `${name}.sse`)));

export const jsonOf = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Record<string, unknown>;

export type WireChunk = Readonly<Record<string, unknown>> & {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Readonly<Record<string, unknown>>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, unknown>> | null;
};

/** The chunks of a recorded stream, read line by line: the recordings have no data but JSON and `[DONE]`. */
export function chunksOf(name: string): WireChunk[] {
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
    .map((data) => JSON.parse(data) as WireChunk);
}
