/** An answer while its form is changed: a whole one as an object, a stream as its chunks. */
import type { StreamEvent } from '../exchange/reply.ts';
import { isJson, type Json, objectsIn } from './json-body.ts';

/** One event of a stream; `chunk` is absent for what is no chunk, such as `[DONE]`. */
export interface ChunkEvent {
  readonly event: StreamEvent;
  readonly chunk?: Json;
}

/** What a quirk does to answers: to a whole one, to a stream of them, or both. */
export interface AnswerChange {
  readonly whole?: (completion: Json, request: Json) => Json;
  readonly stream?: (events: Iterable<ChunkEvent>, request: Json) => Iterable<ChunkEvent>;
}

/** The same completion or chunk with its choices changed. */
export const withChoices = (answer: Json, change: (choice: Json) => Json): Json =>
  Array.isArray(answer.choices) ? { ...answer, choices: objectsIn(answer.choices).map(change) } : answer;

/** The same completion or chunk with its messages, or deltas, changed. */
export const withSaid = (answer: Json, change: (said: Json) => Json): Json =>
  withChoices(answer, (choice) => ({
    ...choice,
    ...(isJson(choice.message) ? { message: change(choice.message) } : {}),
    ...(isJson(choice.delta) ? { delta: change(choice.delta) } : {}),
  }));

/** The same completion or chunk with its tool calls changed; each is given with its place in the list. */
export const withCalls = (answer: Json, change: (call: Json, place: number) => Json): Json =>
  withSaid(answer, (said) =>
    Array.isArray(said.tool_calls) ? { ...said, tool_calls: objectsIn(said.tool_calls).map(change) } : said,
  );

/** The events with their chunks changed, one by one. */
export function* eachChunk(
  events: Iterable<ChunkEvent>,
  change: (chunk: Json) => Json,
): Generator<ChunkEvent> {
  for (const each of events)
    yield each.chunk === undefined ? each : { event: each.event, chunk: change(each.chunk) };
}

/** A change that is the same for a whole answer and for each chunk of a stream. */
export const everywhere = (change: (answer: Json) => Json): AnswerChange => ({
  whole: change,
  stream: (events) => eachChunk(events, change),
});

export const isDone = ({ event }: ChunkEvent): boolean => event.data === '[DONE]';
