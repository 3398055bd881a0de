/** Quirks of the events of a stream, whatever stands in them. */
import { type AnswerChange, type ChunkEvent, isDone } from './answer-form.ts';

/** Events that no format of this kind names: one with a name, and one that is an object of another kind. */
const UNKNOWN: readonly ChunkEvent[] = [
  { event: { name: 'ping', data: '{"type":"ping"}', part: 'between' } },
  { event: { data: '{"object":"host.heartbeat","elapsed_ms":12}', part: 'between' } },
];

/** Unknown events before everything, and before the end. */
export const unknownEvents: AnswerChange = {
  *stream(events) {
    yield* UNKNOWN;
    for (const each of events) {
      if (each.event.part === 'end') yield* UNKNOWN;
      yield each;
    }
  },
};

const textOf = ({ event, chunk }: ChunkEvent): string =>
  chunk === undefined ? event.data : JSON.stringify(chunk);

/** Two chunks in the data of one event, a line each. */
export const twoObjectsAnEvent: AnswerChange = {
  *stream(events) {
    let held: ChunkEvent | undefined;
    for (const each of events) {
      if (isDone(each) || each.event.name !== undefined) {
        if (held !== undefined) yield held;
        held = undefined;
        yield each;
      } else if (held === undefined) held = each;
      else {
        yield { event: { ...each.event, data: `${textOf(held)}\n${textOf(each)}` } };
        held = undefined;
      }
    }
    if (held !== undefined) yield held;
  },
};

export const noDone: AnswerChange = {
  *stream(events) {
    for (const each of events) if (!isDone(each)) yield each;
  },
};

/** The body ends within its last event. */
export const noLastBlankLine: AnswerChange = {
  *stream(events) {
    let held: ChunkEvent | undefined;
    for (const each of events) {
      if (held !== undefined) yield held;
      held = each;
    }
    if (held !== undefined) yield { ...held, event: { ...held.event, isUnended: true } };
  },
};
