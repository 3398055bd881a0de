/** An answer while its form is changed: a whole one as an object, a stream as its chunks. */
import type { SimulatedEvent } from '../exchange/reply.ts';
import { isJson, type Json, objectsIn } from './json-body.ts';

/** One event of a stream; `chunk` is absent for what is no chunk, such as `[DONE]`. */
export interface ChunkEvent {
  readonly event: SimulatedEvent;
  readonly chunk?: Json;
}

export type Events = readonly ChunkEvent[];

/** The changes that a quirk makes to responses: to a complete one, to a stream, or to both. */
export interface CompletionChange {
  readonly completion?: (completion: Json, request: Json) => Json;
  readonly stream?: (events: Events, request: Json) => Events;
}

export type PartChange = (part: Json) => Json;

export const withChunk = (each: ChunkEvent, change: PartChange): ChunkEvent =>
  each.chunk === undefined ? each : { ...each, chunk: change(each.chunk) };

/** The same completion or chunk with its choices changed. */
export const withChoices = (completion: Json, change: PartChange): Json =>
  Array.isArray(completion.choices)
    ? { ...completion, choices: objectsIn(completion.choices).map(change) }
    : completion;

/** The same completion or chunk with its messages, or deltas, changed. */
export const withContent = (completion: Json, change: PartChange): Json =>
  withChoices(completion, (choice) => ({
    ...choice,
    ...(isJson(choice.message) ? { message: change(choice.message) } : {}),
    ...(isJson(choice.delta) ? { delta: change(choice.delta) } : {}),
  }));

/** A change that is the same for a whole answer and for each chunk of a stream. */
export const everywhere = (
  change: (completion: Json, request: Json) => Json,
): Required<CompletionChange> => ({
  completion: change,
  stream: (events, request) => events.map((each) => withChunk(each, (chunk) => change(chunk, request))),
});

export const inStreams = ({ stream }: Required<CompletionChange>): CompletionChange => ({ stream });
