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
  const progress = new Progress();
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value === DONE) {
        open = false;
        // The body's last bytes are read behind the caller's back: then the connection can be used again.
        void drain(iterator);
        progress.requireOutput();
        return;
      }
      const chunk = parse(next.value);
      const event = toReplyEvent(chunk, identity);
      progress.see(chunk, event);
      yield event;
    }
    open = false;
  } finally {
    if (open) await iterator.return?.();
  }
  progress.requireFinish();
}

/** How far each choice of a stream has come. */
class Progress {
  readonly #unfinished = new Set<unknown>();
  #finished = false;
  #output = false;

  see(chunk: Chunk, { content }: ReplyEvent): void {
    this.#output ||= content;
    for (const { index = 0, finish_reason: reason } of choicesOf(chunk)) {
      if (typeof reason !== 'string') {
        this.#unfinished.add(index);
        continue;
      }
      this.#unfinished.delete(index);
      this.#finished = true;
    }
  }

  /** A stream that says it is done must have said something. */
  requireOutput(): void {
    if (!this.#output) throw new UpstreamFailure('protocol');
  }

  /** A body that just ends must have finished every choice that it began. */
  requireFinish(): void {
    if (!this.#finished || this.#unfinished.size > 0) throw new UpstreamFailure('interrupted');
  }
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
  readonly index?: unknown;
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
export function toReplyEvent(chunk: Chunk, identity: Attempt['identity']): ReplyEvent {
  if (chunk.error !== undefined && chunk.error !== null) throw new UpstreamFailure('interrupted');
  const { usage: reported, ...rest } = chunk;
  const usage = toUsage(reported);
  const choices = choicesOf(chunk);
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
  };
}

/** Throws when a choice is not an object. */
function choicesOf({ choices }: Chunk): readonly ChunkChoice[] {
  if (!Array.isArray(choices)) return [];
  if (!choices.every((choice) => typeof choice === 'object' && choice !== null))
    throw new UpstreamFailure('protocol');
  return choices;
}

/** A tool call's opening may carry neither name nor arguments yet; it is output all the same. */
function hasToolCall(delta: ChunkChoice['delta']): boolean {
  return Array.isArray(delta?.tool_calls) && delta.tool_calls.length > 0;
}
