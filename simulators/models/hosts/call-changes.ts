/** Quirks of tool calls, and of the reason why an answer ended. */
import {
  type AnswerChange,
  type ChunkEvent,
  eachChunk,
  everywhere,
  withCalls,
  withChoices,
} from './answer-form.ts';
import { isJson, type Json } from './json-body.ts';
import { callProof } from './message-rules.ts';

export const emptyCallIds = everywhere((answer) =>
  withCalls(answer, (call) => ('id' in call ? { ...call, id: '' } : call)),
);

/** The numbers of calls in a stream; a whole answer has none. */
const numbered = (change: (index: number) => Json): AnswerChange => ({
  stream: (events) =>
    eachChunk(events, (chunk) =>
      withCalls(chunk, ({ index, ...call }) => ({ ...change(Number(index)), ...call })),
    ),
});

export const noCallIndex = numbered(() => ({}));
export const oneCallIndex = numbered(() => ({ index: 0 }));
export const gapsInCallIndexes = numbered((index) => ({ index: 2 + 3 * index }));

/** Arguments that could be whole, sent before the real ones. */
const COMPLETE = '{}';

const openedWith =
  (text: string) =>
  (call: Json): Json =>
    'id' in call && isJson(call.function)
      ? { ...call, function: { ...call.function, arguments: text } }
      : call;

export const argumentsGoOn: AnswerChange = {
  stream: (events) => eachChunk(events, (chunk) => withCalls(chunk, openedWith(COMPLETE))),
};

const endsWith = (change: (reason: string) => Json): AnswerChange =>
  everywhere((answer) =>
    withChoices(answer, ({ finish_reason: reason, ...choice }) => ({
      ...choice,
      ...(typeof reason === 'string' ? change(reason) : { finish_reason: reason }),
    })),
  );

export const stopWithCalls = endsWith((reason) => ({
  finish_reason: reason === 'tool_calls' ? 'stop' : reason,
}));
export const emptyFinishReason = endsWith(() => ({ finish_reason: '' }));
export const newFinishReason = endsWith(() => ({ finish_reason: 'end' }));

export const noFinishReason = everywhere((answer) =>
  withChoices(answer, ({ finish_reason: _reason, ...choice }) => choice),
);

const signed = (answer: Json): Json =>
  withCalls(answer, (call, place) => {
    const { name } = isJson(call.function) ? call.function : {};
    const isFirst = place === 0 && (call.index === undefined || call.index === 0);
    if (!isFirst || !('id' in call)) return call;
    return { ...call, extra_content: { google: { thought_signature: callProof(name) } } };
  });

/** The signatures that a host wants back: of the first call of a message. */
export const signsCalls: AnswerChange = {
  whole: signed,
  stream: (events: Iterable<ChunkEvent>) => eachChunk(events, signed),
};
