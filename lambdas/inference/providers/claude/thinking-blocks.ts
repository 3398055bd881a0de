/**
 * Thinking blocks of a Messages caller at a route of the same protocol. They are opened in requests and sealed in
 * responses (Claude docs, Extended thinking).
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { openRouteSignature, sealRouteSignature } from './route-signatures.ts';
import { type MessageSketch, missingThought } from './thinking.ts';

const isThought = (block: unknown): block is JsonObject =>
  isJsonObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');

/**
 * Returns a block as this route gave it. A block of another route is dropped. A block that a provider itself gave to the
 * caller stays unchanged, so that a conversation that began there continues here. The route validates it.
 */
function openBlock(block: unknown, signatures: Signatures): unknown[] {
  if (!isThought(block)) return [block];
  const given = block.type === 'thinking' ? block.signature : block.data;
  const routeSignature = openRouteSignature(given, signatures);
  if (routeSignature === undefined)
    return typeof given === 'string' && signatures.isUnsealed(given) ? [block] : [];
  return 'redacted' in routeSignature
    ? [{ type: 'redacted_thinking', data: routeSignature.redacted }]
    : [
        {
          type: 'thinking',
          thinking: typeof block.thinking === 'string' ? block.thinking : '',
          ...routeSignature,
        },
      ];
}

interface OpenedMessage {
  readonly message: unknown;
  /** Some of its thinking had to be left out. */
  readonly isShortened: boolean;
}

function openMessage(message: unknown, signatures: Signatures): OpenedMessage {
  const content = contentOf(message);
  if (!isJsonObject(message) || !content.some(isThought)) return { message, isShortened: false };
  const opened = content.flatMap((block) => openBlock(block, signatures));
  const isShortened = opened.length < content.length;
  // A message with thinking must start with it.
  const isValid = !isShortened || isThought(opened[0]);
  return { message: { ...message, content: isValid ? opened : withoutThoughts(opened) }, isShortened };
}

const contentOf = (message: unknown): readonly unknown[] =>
  isJsonObject(message) && Array.isArray(message.content) ? message.content : [];

const withoutThoughts = (content: readonly unknown[]): unknown[] =>
  content.filter((block) => !isThought(block));

/**
 * Returns the request with the unchanged thinking of this route, and of responses that the service did not give, and
 * without any other thinking. No message becomes empty. If the response that called the tools loses its thinking, thinking is switched off, because Claude rejects
 * every other request.
 */
export function withOpenedThinking(body: JsonObject, signatures: Signatures): JsonObject {
  if (!Array.isArray(body.messages)) return body;
  const opened = body.messages.map((message: unknown) => openMessage(message, signatures));
  const remainingMessages = opened.filter(
    ({ message, isShortened }) => !isShortened || contentOf(message).length > 0,
  );
  const messages = remainingMessages.map(({ message }) => message);
  if (!isJsonObject(body.thinking) || body.thinking.type !== 'enabled') return { ...body, messages };
  const missing = missingThought(messages.map(sketchOf));
  const isRejected =
    missing === 'first' || (missing === 'last' && opened.some(({ isShortened }) => isShortened));
  return isRejected ? withoutThinking({ ...body, messages }, messages) : { ...body, messages };
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

/**
 * Returns whether the edit applies to tools. Rules that clear thinking are rejected without thinking (Claude docs,
 * Context editing).
 */
const isOfTools = (edit: unknown): boolean =>
  !isJsonObject(edit) || typeof edit.type !== 'string' || !edit.type.startsWith('clear_thinking');

const isGiven = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns a block of a response with its signature sealed for the caller. */
export function sealBlock(block: JsonObject, signatures: Signatures): JsonObject {
  const { type, signature, data } = block;
  if (type === 'thinking' && isGiven(signature))
    return { ...block, signature: sealRouteSignature({ signature }, signatures) };
  if (type === 'redacted_thinking' && isGiven(data))
    return { ...block, data: sealRouteSignature({ redacted: data }, signatures) };
  return block;
}

/**
 * Seals the signatures in the events of one streamed response. The caller receives each signature complete, at the end
 * of its block.
 */
export class SignatureSealer {
  readonly #signatures: Signatures;
  /** The received text of each open block's signature, by the index of the block. */
  readonly #bufferedSignatures = new Map<unknown, string>();

  constructor(signatures: Signatures) {
    this.#signatures = signatures;
  }

  seal(event: JsonObject): readonly JsonObject[] {
    switch (event.type) {
      case 'message_start':
        return [{ ...event, message: this.#opening(event.message) }];
      case 'content_block_start':
        return isThought(event.content_block)
          ? [{ ...event, content_block: sealBlock(event.content_block, this.#signatures) }]
          : [event];
      case 'content_block_delta':
        return isJsonObject(event.delta) && event.delta.type === 'signature_delta'
          ? this.#bufferSignature(event.index, event.delta)
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
      content: content.map((block) => (isThought(block) ? sealBlock(block, this.#signatures) : block)),
    };
  }

  #bufferSignature(index: unknown, { signature }: JsonObject): [] {
    if (isGiven(signature))
      this.#bufferedSignatures.set(index, (this.#bufferedSignatures.get(index) ?? '') + signature);
    return [];
  }

  #signature(index: unknown): JsonObject[] {
    const signature = this.#bufferedSignatures.get(index);
    if (signature === undefined) return [];
    this.#bufferedSignatures.delete(index);
    const delta = { type: 'signature_delta', signature: sealRouteSignature({ signature }, this.#signatures) };
    return [{ type: 'content_block_delta', index, delta }];
  }
}
