/** A streamed answer of an OpenAI-compatible server: bytes -> events -> chunks -> reply events. */
import {
  type Attempt,
  type JsonObject,
  type ReplyEvent,
  UpstreamFailure,
} from '../../core/inference/provider.ts';
import { textOf } from './text.ts';
import { toUsage } from './usage.ts';

/** The end of a stream (OpenAI API reference, Streaming). */
const DONE = '[DONE]';

/**
 * Turns the data of server-sent events into reply events under our own id and model name. Ends normally only after
 * `[DONE]` or, for servers that leave it out, after a finish reason; throws `UpstreamFailure` otherwise.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  identity: Attempt['identity'],
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  let finished = false;
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value === DONE) {
        open = false;
        // The body's last bytes are read behind the caller's back: then the connection can be used again.
        void drain(iterator);
        return;
      }
      const event = toReplyEvent(parse(next.value), identity);
      finished ||= event.finished;
      yield event;
    }
    open = false;
  } finally {
    if (open) await iterator.return?.();
  }
  if (!finished) throw new UpstreamFailure('interrupted');
}

async function drain(iterator: AsyncIterator<string>): Promise<void> {
  try {
    while (!(await iterator.next()).done);
  } catch {
    // The answer is complete; how its connection ends no longer matters.
  }
}

interface Chunk extends JsonObject {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

interface ChunkChoice {
  readonly delta?: JsonObject | null;
  readonly finish_reason?: unknown;
}

function parse(text: string): Chunk {
  let chunk: unknown;
  try {
    chunk = JSON.parse(text);
  } catch {
    throw new UpstreamFailure('protocol');
  }
  if (typeof chunk !== 'object' || chunk === null || Array.isArray(chunk))
    throw new UpstreamFailure('protocol');
  return chunk as Chunk;
}

/** One chunk; usage is taken out of it, because the caller is told usage only when asking and with the cost. */
export function toReplyEvent(
  chunk: Chunk,
  identity: Attempt['identity'],
): ReplyEvent & { readonly finished: boolean } {
  if (chunk.error !== undefined && chunk.error !== null) throw new UpstreamFailure('interrupted');
  const { usage: reported, ...rest } = chunk;
  const usage = toUsage(reported);
  const choices: readonly ChunkChoice[] = Array.isArray(chunk.choices) ? chunk.choices : [];
  let text = '';
  let finished = false;
  for (const { delta, finish_reason: reason } of choices) {
    if (delta !== undefined && delta !== null) text += textOf(delta);
    finished ||= typeof reason === 'string';
  }
  return {
    ...(choices.length === 0
      ? {}
      : { payload: { ...rest, id: identity.id, object: 'chat.completion.chunk', model: identity.model } }),
    ...(usage === undefined ? {} : { usage }),
    text,
    content: text !== '' || finished || choices.some(({ delta }) => hasToolCall(delta)),
    finished,
  };
}

/** A tool call's opening may carry neither name nor arguments yet; it is output all the same. */
function hasToolCall(delta: ChunkChoice['delta']): boolean {
  return Array.isArray(delta?.tool_calls) && delta.tool_calls.length > 0;
}
