/** The answer as a stream of events (Amazon Bedrock API reference, "ConverseStreamOutput"). */
import { inTurns } from '../exchange/in-turns.ts';
import type { StreamEvent } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model-answer.ts';
import type { ModelToolCall } from '../model/model-request.ts';
import { tokenPieces } from '../model/tokens.ts';
import { accountOf, type ConverseFrame, endingOf, signatureOf, toolUseId } from './answer-document.ts';

type Fields = Readonly<Record<string, unknown>>;

interface StreamedBlock {
  /** Only tool calls are announced. */
  readonly start?: Fields;
  readonly deltas: Iterable<Fields>;
}

function* thinkingDeltas(thinking: string): Generator<Fields> {
  for (const piece of tokenPieces(thinking)) yield { reasoningContent: { text: piece } };
  yield { reasoningContent: { signature: signatureOf(thinking) } };
}

function* textDeltas(text: string): Generator<Fields> {
  for (const piece of tokenPieces(text)) yield { text: piece };
}

/** Arguments come in pieces after an empty one, which is all that a call without arguments has. */
function* inputDeltas(call: ModelToolCall): Generator<Fields> {
  yield { toolUse: { input: '' } };
  if (call.arguments === '{}') return;
  for (const piece of tokenPieces(call.arguments)) yield { toolUse: { input: piece } };
}

function streamedBlocks({ thinking, text = '', toolCalls }: ModelChoice): StreamedBlock[] {
  return [
    ...(thinking === undefined ? [] : [{ deltas: thinkingDeltas(thinking) }]),
    ...(text === '' ? [] : [{ deltas: textDeltas(text) }]),
    ...toolCalls.map((call) => ({
      start: { toolUse: { toolUseId: toolUseId(call), name: call.name } },
      deltas: inputDeltas(call),
    })),
  ];
}

const PADDING = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Every payload ends in a padding of some length, so that the size of a frame does not tell what is in it. */
function event(part: StreamEvent['part'], name: string, fields: Fields): StreamEvent {
  const text = JSON.stringify(fields);
  const p = PADDING.slice(0, 1 + (text.length % PADDING.length));
  return { part, name, data: JSON.stringify({ ...fields, p }) };
}

function* blockEvents(blocks: readonly StreamedBlock[], interleave: boolean): Generator<StreamEvent> {
  const parts = blocks.map(({ start, deltas }, contentBlockIndex) => ({
    start: start === undefined ? [] : [event('between', 'contentBlockStart', { start, contentBlockIndex })],
    deltas: Iterator.from(deltas).map((delta) =>
      event('content', 'contentBlockDelta', { delta, contentBlockIndex }),
    ),
    stop: event('between', 'contentBlockStop', { contentBlockIndex }),
  }));
  if (interleave) {
    yield* parts.flatMap(({ start }) => start);
    yield* inTurns(parts.map(({ deltas }) => deltas));
    yield* parts.map(({ stop }) => stop);
    return;
  }
  for (const { start, deltas, stop } of parts) {
    yield* start;
    yield* deltas;
    yield stop;
  }
}

/** All events of the answer, from `messageStart` to `metadata`. `interleave` streams the blocks in turns. */
export function* converseEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  frame: ConverseFrame,
  interleave: boolean,
): Generator<StreamEvent> {
  yield event('start', 'messageStart', { role: 'assistant' });
  yield* blockEvents(streamedBlocks(choice), interleave);
  yield event('end', 'messageStop', endingOf(choice, frame));
  yield event('end', 'metadata', accountOf(usage, frame));
}
