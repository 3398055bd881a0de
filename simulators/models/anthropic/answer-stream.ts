/** The answer as a stream of events (Claude guide "Streaming Messages"). */
import { inTurns } from '../exchange/in-turns.ts';
import type { StreamEvent } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model-answer.ts';
import type { ModelToolCall } from '../model/model-request.ts';
import { tokenPieces } from '../model/tokens.ts';
import {
  contentOf,
  endingOf,
  fullUsageOf,
  type MessageFrame,
  messageOf,
  usageOf,
} from './answer-document.ts';

type Fields = Readonly<Record<string, unknown>>;

interface StreamedBlock {
  readonly opening: Fields;
  readonly deltas: Iterable<Fields>;
}

/** Arguments come in pieces after an empty one, which is all that a call without arguments has. */
function* inputDeltas(text: string): Generator<Fields> {
  yield { type: 'input_json_delta', partial_json: '' };
  if (text === '{}') return;
  for (const piece of tokenPieces(text)) yield { type: 'input_json_delta', partial_json: piece };
}

function* thinkingDeltas(thinking: string, signature: string): Generator<Fields> {
  for (const piece of tokenPieces(thinking)) yield { type: 'thinking_delta', thinking: piece };
  yield { type: 'signature_delta', signature };
}

function* textDeltas(text: string): Generator<Fields> {
  for (const piece of tokenPieces(text)) yield { type: 'text_delta', text: piece };
}

function streamedBlocks(choice: ModelChoice, frame: MessageFrame): StreamedBlock[] {
  const calls: Iterator<ModelToolCall> = choice.toolCalls[Symbol.iterator]();
  return contentOf(choice, frame).map((block) => {
    if (block.type === 'thinking') {
      const { thinking, signature } = block;
      return {
        opening: { ...block, thinking: '', signature: '' },
        deltas: thinkingDeltas(thinking, signature),
      };
    }
    if (block.type === 'text') return { opening: { ...block, text: '' }, deltas: textDeltas(block.text) };
    return { opening: { ...block, input: {} }, deltas: inputDeltas(calls.next().value?.arguments ?? '') };
  });
}

const event = (part: StreamEvent['part'], name: string, fields: Fields): StreamEvent => ({
  part,
  name,
  data: JSON.stringify({ type: name, ...fields }),
});

function* blockEvents(blocks: readonly StreamedBlock[], interleave: boolean): Generator<StreamEvent> {
  const parts = blocks.map(({ opening, deltas }, index) => ({
    start: event('between', 'content_block_start', { index, content_block: opening }),
    deltas: Iterator.from(deltas).map((delta) => event('content', 'content_block_delta', { index, delta })),
    stop: event('between', 'content_block_stop', { index }),
  }));
  const ping = event('between', 'ping', {});
  if (interleave) {
    yield* parts.map(({ start }) => start);
    yield ping;
    yield* inTurns(parts.map(({ deltas }) => deltas));
    yield* parts.map(({ stop }) => stop);
    return;
  }
  for (const [index, { start, deltas, stop }] of parts.entries()) {
    yield start;
    if (index === 0) yield ping;
    yield* deltas;
    yield stop;
  }
}

/** All events of the answer, from `message_start` to `message_stop`. `interleave` streams the blocks in turns. */
export function* messageEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  frame: MessageFrame,
  interleave: boolean,
): Generator<StreamEvent> {
  const message = messageOf(frame, {
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(frame.withUsage ? { usage: fullUsageOf(usage, 1) } : {}),
  });
  yield event('start', 'message_start', { message });
  yield* blockEvents(streamedBlocks(choice, frame), interleave);
  const total = frame.withUsage ? { usage: usageOf(usage, usage.completionTokens) } : {};
  yield event('end', 'message_delta', { delta: endingOf(choice), ...total });
  yield event('end', 'message_stop', {});
}
