/** A streamed answer of Converse (Amazon Bedrock API reference, ConverseStreamOutput): events -> reply events. */
import type { ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime';
import type { StreamPart } from '../../core/upstream/conversation.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { StreamBlocks } from '../../core/upstream/stream-blocks.ts';
import { drain } from '../http-upstream.ts';
import { signatureOf } from './content.ts';
import { type ConverseCallContext, toFinish } from './response.ts';
import { toUsage } from './usage.ts';

/**
 * Turns the events of a stream into reply events. Ends normally only after `messageStop`; the usage that follows it
 * may be missing. Throws `UpstreamFailure` for a stream that ends before, and whatever the stream throws.
 */
export async function* toReplyEvents(
  stream: AsyncIterable<ConverseStreamOutput>,
  call: ConverseCallContext,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = stream[Symbol.asyncIterator]();
  const reader = new EventReader(call);
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const event = reader.read(next.value);
    if (event !== undefined) yield event;
    if (!reader.isComplete) continue;
    // The body's last bytes are read in the background, so that the connection can be used again.
    void drain(iterator);
    return;
  }
  if (!reader.isFinished) throw new UpstreamFailure('interrupted');
}

/** A block that has begun. */
type OpenBlock =
  | { readonly kind: 'text' }
  | { readonly kind: 'dropped' }
  /** With what has come of its proof: a signature, or bytes that only the model reads. */
  | { readonly kind: 'reasoning'; signature: string; redacted: Uint8Array }
  /** A tool call, by the index of its content block. */
  | { readonly kind: 'call'; readonly block: number }
  /** The answer that was asked for as a tool's input. */
  | { readonly kind: 'answer'; empty: boolean };

const newReasoning = (): Extract<OpenBlock, { kind: 'reasoning' }> => ({
  kind: 'reasoning',
  signature: '',
  redacted: new Uint8Array(),
});

interface Reading {
  readonly parts: readonly StreamPart[];
  readonly text: string;
}

const NOTHING: Reading = { parts: [], text: '' };

class EventReader {
  readonly #call: ConverseCallContext;
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #blocks = new StreamBlocks();
  #hasCalls = false;
  /** Text that came while the answer may still come as a tool's input; it is the answer only if that does not. */
  #held = '';
  #answered = false;
  #finished = false;
  #metered = false;

  constructor(call: ConverseCallContext) {
    this.#call = call;
  }

  /** The answer is whole; its usage may still come. */
  get isFinished(): boolean {
    return this.#finished;
  }

  get isComplete(): boolean {
    return this.#finished && this.#metered;
  }

  read(event: ConverseStreamOutput): ReplyEvent | undefined {
    if (event.metadata !== undefined) {
      this.#metered = true;
      const usage = toUsage(event.metadata);
      return usage === undefined ? undefined : { text: '', content: false, usage };
    }
    const { parts, text } = this.#finished ? NOTHING : this.#readOutput(event);
    if (parts.length > 0) return { parts, text, content: true };
    // Output that the caller does not get, or not yet, is output too: a model that thinks for long is healthy.
    return text === '' ? undefined : { text, content: true };
  }

  #readOutput(event: ConverseStreamOutput): Reading {
    const { contentBlockStart: start, contentBlockDelta: delta, contentBlockStop: stop, messageStop } = event;
    if (start !== undefined) return this.#start(start.contentBlockIndex, start.start?.toolUse);
    if (delta !== undefined) return this.#read(delta.contentBlockIndex, Object(delta.delta));
    if (stop !== undefined) return { parts: this.#stop(stop.contentBlockIndex), text: '' };
    if (messageStop === undefined) return NOTHING;
    this.#finished = true;
    const finish = toFinish(messageStop, this.#call, this.#hasCalls);
    return { parts: [...this.#release(), ...this.#blocks.finish(finish)], text: '' };
  }

  /** Only the blocks of tools are announced by every model. */
  #start(
    block: unknown,
    toolUse: { readonly toolUseId: unknown; readonly name: unknown } | undefined,
  ): Reading {
    if (toolUse === undefined) return NOTHING;
    const { toolUseId: id, name } = toolUse;
    if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
    if (name === this.#call.answerTool) {
      this.#open.set(block, this.#answered ? { kind: 'dropped' } : { kind: 'answer', empty: true });
      this.#answered = true;
      this.#held = '';
      return NOTHING;
    }
    this.#hasCalls = true;
    const released = this.#release();
    const call = this.#blocks.startCall(id, name);
    this.#open.set(block, { kind: 'call', block: call.block });
    return { parts: [...released, ...call.parts], text: name };
  }

  #read(block: unknown, delta: Delta): Reading {
    if (typeof delta.text === 'string') return this.#readText(block, delta.text);
    const { input } = Object(delta.toolUse) as { input?: unknown };
    if (typeof input === 'string') return this.#readInput(this.#open.get(block), input);
    return delta.reasoningContent === undefined
      ? NOTHING
      : this.#readReasoning(block, Object(delta.reasoningContent));
  }

  #readReasoning(block: unknown, { text, signature, redactedContent: redacted }: ReasoningDelta): Reading {
    const known = this.#open.get(block);
    const open = known?.kind === 'reasoning' ? known : newReasoning();
    this.#open.set(block, open);
    if (typeof signature === 'string') open.signature += signature;
    if (redacted instanceof Uint8Array) open.redacted = Buffer.concat([open.redacted, redacted]);
    return typeof text === 'string' ? { parts: this.#blocks.text('reasoning', text), text } : NOTHING;
  }

  #readText(block: unknown, text: string): Reading {
    if (this.#call.answerTool === undefined) {
      if (text === '') return NOTHING;
      this.#open.set(block, { kind: 'text' });
      return { parts: this.#blocks.text('text', text), text };
    }
    if (!this.#answered) this.#held += text;
    return { parts: [], text };
  }

  #readInput(open: OpenBlock | undefined, input: string): Reading {
    if (open === undefined || open.kind === 'text' || open.kind === 'reasoning')
      throw new UpstreamFailure('protocol');
    if (input === '' || open.kind === 'dropped') return { parts: [], text: input };
    if (open.kind === 'call') return { parts: this.#blocks.arguments(open.block, input), text: input };
    open.empty = false;
    return { parts: this.#blocks.text('text', input), text: input };
  }

  #stop(block: unknown): StreamPart[] {
    const open = this.#open.get(block);
    this.#open.delete(block);
    if (open === undefined || open.kind === 'dropped') return [];
    if (open.kind === 'call') return this.#blocks.endCall(open.block);
    const signature = open.kind === 'reasoning' ? signatureOf(open, this.#call.signatures) : undefined;
    if (signature !== undefined) return this.#blocks.endReasoning(signature);
    const nothing = open.kind === 'answer' && open.empty ? this.#blocks.text('text', '{}') : [];
    return [...nothing, ...this.#blocks.endText()];
  }

  /** The text that was held back, now that it is certain to be part of the answer. */
  #release(): StreamPart[] {
    const text = this.#held;
    this.#held = '';
    return [...this.#blocks.text('text', text), ...this.#blocks.endText()];
  }
}

/** Nothing of it is certain: the client passes on what it is sent. */
interface Delta {
  readonly text?: unknown;
  readonly toolUse?: unknown;
  readonly reasoningContent?: unknown;
}

/** One of them (Amazon Bedrock API reference, ReasoningContentBlockDelta). */
interface ReasoningDelta {
  readonly text?: unknown;
  readonly signature?: unknown;
  readonly redactedContent?: unknown;
}
