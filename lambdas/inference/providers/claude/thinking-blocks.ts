/**
 * Thinking blocks of a caller who speaks the Messages protocol itself, at a route that does: opened in its requests,
 * sealed in its answers (Claude docs, Extended thinking).
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import { openProof, sealProof } from './proofs.ts';
import { type MessageSketch, missingThought } from './thinking.ts';

const isThought = (block: unknown): block is JsonObject =>
  isJsonObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');

/** A block as this route gave it; none of another route's, nor one that the service did not seal. */
function openedBlock(block: unknown, signatures: Signatures): unknown[] {
  if (!isThought(block)) return [block];
  const proof = openProof(block.type === 'thinking' ? block.signature : block.data, signatures);
  if (proof === undefined) return [];
  return 'redacted' in proof
    ? [{ type: 'redacted_thinking', data: proof.redacted }]
    : [{ type: 'thinking', thinking: typeof block.thinking === 'string' ? block.thinking : '', ...proof }];
}

interface OpenedMessage {
  readonly message: unknown;
  /** Some of its thinking had to be left out. */
  readonly isShortened: boolean;
}

function openedMessage(message: unknown, signatures: Signatures): OpenedMessage {
  const content = contentOf(message);
  if (!isJsonObject(message) || !content.some(isThought)) return { message, isShortened: false };
  const opened = content.flatMap((block) => openedBlock(block, signatures));
  const isShortened = opened.length < content.length;
  // One that holds thinking must begin with it.
  const isSound = !isShortened || isThought(opened[0]);
  return { message: { ...message, content: isSound ? opened : withoutThoughts(opened) }, isShortened };
}

const contentOf = (message: unknown): readonly unknown[] =>
  isJsonObject(message) && Array.isArray(message.content) ? message.content : [];

const withoutThoughts = (content: readonly unknown[]): unknown[] =>
  content.filter((block) => !isThought(block));

/**
 * The request with the thinking that this route gave, as it gave it, and without any other. No message becomes
 * empty; where the answer that called the tools loses its thinking, Claude is asked not to think: it refuses
 * everything else.
 */
export function withOpenedThinking(body: JsonObject, signatures: Signatures): JsonObject {
  if (!Array.isArray(body.messages)) return body;
  const opened = body.messages.map((message: unknown) => openedMessage(message, signatures));
  const kept = opened.filter(({ message, isShortened }) => !isShortened || contentOf(message).length > 0);
  const messages = kept.map(({ message }) => message);
  if (!isJsonObject(body.thinking) || body.thinking.type !== 'enabled') return { ...body, messages };
  const missing = missingThought(messages.map(sketchOf));
  const isRefused =
    missing === 'first' || (missing === 'last' && opened.some(({ isShortened }) => isShortened));
  return isRefused ? withoutThinking({ ...body, messages }, messages) : { ...body, messages };
}

function sketchOf(message: unknown): MessageSketch {
  const content = contentOf(message);
  return isJsonObject(message) && message.role === 'assistant'
    ? { role: 'assistant', opensWithThought: isThought(content[0]) }
    : {
        role: 'user',
        hasResults: content.some((block) => isJsonObject(block) && block.type === 'tool_result'),
      };
}

function withoutThinking(body: JsonObject, messages: readonly unknown[]): JsonObject {
  const { context_management: context, ...rest } = body;
  const edits = isJsonObject(context) && Array.isArray(context.edits) ? context.edits : undefined;
  return {
    ...rest,
    ...(edits === undefined
      ? {}
      : { context_management: { ...(context as JsonObject), edits: edits.filter(isOfTools) } }),
    thinking: { type: 'disabled' },
    messages: messages.flatMap((message) => {
      if (!contentOf(message).some(isThought)) return [message];
      const content = withoutThoughts(contentOf(message));
      return content.length === 0 ? [] : [{ ...(message as JsonObject), content }];
    }),
  };
}

/** Rules that clear thinking are refused without it (Claude docs, Context editing). */
const isOfTools = (edit: unknown): boolean =>
  !isJsonObject(edit) || typeof edit.type !== 'string' || !edit.type.startsWith('clear_thinking');

const isGiven = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A block of an answer as its caller gets it. */
export function sealedBlock(block: JsonObject, signatures: Signatures): JsonObject {
  const { type, signature, data } = block;
  if (type === 'thinking' && isGiven(signature))
    return { ...block, signature: sealProof({ signature }, signatures) };
  if (type === 'redacted_thinking' && isGiven(data))
    return { ...block, data: sealProof({ redacted: data }, signatures) };
  return block;
}

/** The events of one streamed answer as its caller gets them: each signature whole and sealed, at the end of its block. */
export class SignatureSealer {
  readonly #signatures: Signatures;
  /** The received text of each open block's signature, by the index of the block. */
  readonly #pieces = new Map<unknown, string>();

  constructor(signatures: Signatures) {
    this.#signatures = signatures;
  }

  seal(event: JsonObject): readonly JsonObject[] {
    switch (event.type) {
      case 'message_start':
        return [{ ...event, message: this.#opening(event.message) }];
      case 'content_block_start':
        return isThought(event.content_block)
          ? [{ ...event, content_block: sealedBlock(event.content_block, this.#signatures) }]
          : [event];
      case 'content_block_delta':
        return isJsonObject(event.delta) && event.delta.type === 'signature_delta'
          ? this.#gather(event.index, event.delta)
          : [event];
      case 'content_block_stop':
        return [...this.#signature(event.index), event];
      default:
        return [event];
    }
  }

  #opening(message: unknown): unknown {
    if (!isJsonObject(message)) return message;
    const content = contentOf(message);
    if (content.length === 0) return message;
    return {
      ...message,
      content: content.map((block) => (isThought(block) ? sealedBlock(block, this.#signatures) : block)),
    };
  }

  #gather(index: unknown, { signature }: JsonObject): [] {
    if (isGiven(signature)) this.#pieces.set(index, (this.#pieces.get(index) ?? '') + signature);
    return [];
  }

  #signature(index: unknown): JsonObject[] {
    const signature = this.#pieces.get(index);
    if (signature === undefined) return [];
    this.#pieces.delete(index);
    const delta = { type: 'signature_delta', signature: sealProof({ signature }, this.#signatures) };
    return [{ type: 'content_block_delta', index, delta }];
  }
}
