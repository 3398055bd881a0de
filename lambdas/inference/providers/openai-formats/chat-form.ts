/** Messages and chunks of hosts that differ from the protocol, in its form; what the protocol does not know stays. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { CallNumbers, PlaceholderArguments } from './call-numbers.ts';

/** Reasons by which hosts say that the answer failed (Z.ai API docs, `finish_reason`; OpenRouter docs, Errors). */
const FAILED: ReadonlySet<unknown> = new Set(['error', 'network_error']);

/** The protocol's own (OpenAI API reference, The chat completion object). */
const REASONS: ReadonlySet<unknown> = new Set([
  'stop',
  'length',
  'tool_calls',
  'function_call',
  'content_filter',
]);

/** Names that hosts have for them (Mistral and Z.ai API docs, `finish_reason`). */
const NAMES: ReadonlyMap<unknown, string> = new Map([
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['sensitive', 'content_filter'],
]);

/** Throws `UpstreamFailure` for a reason that says that the answer failed. */
export function requireGoodEnd(reason: unknown): void {
  if (FAILED.has(reason)) throw new UpstreamFailure('interrupted');
}

/** The reason in the protocol's own names. */
export function finishName(reason: string, hasCalls: boolean): string {
  const named = REASONS.has(reason) ? reason : (NAMES.get(reason) ?? 'stop');
  return named === 'stop' && hasCalls ? 'tool_calls' : named;
}

/** A message or delta whose content is one text (Mistral docs, Reasoning: a list of texts and thoughts). */
export function plainContent(message: JsonObject): JsonObject {
  const { content, ...rest } = message;
  if (!Array.isArray(content)) return message;
  const texts: string[] = [];
  const thoughts: string[] = [];
  for (const part of content) {
    const { type, text, thinking } = isJsonObject(part) ? part : {};
    if (type === 'text' && typeof text === 'string') texts.push(text);
    else if (type === 'thinking') thoughts.push(thoughtOf(thinking));
    else return message;
  }
  const thought = thoughts.join('');
  return { ...rest, content: texts.join(''), ...(thought === '' ? {} : { reasoning_content: thought }) };
}

const thoughtOf = (thinking: unknown): string => {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('');
};

/** A choice as far as it has come. */
interface Begun {
  readonly calls: CallNumbers;
  readonly placeholders: PlaceholderArguments;
  finished: boolean;
}

/** The chunks of one answer. */
export class ChatForm {
  readonly #answerId: string;
  readonly #choices = new Map<unknown, Begun>();

  constructor(answerId: string) {
    this.#answerId = answerId;
  }

  /** The chunk with its texts plain and its tool calls numbered and named. Throws `UpstreamFailure` for a failed answer. */
  read(chunk: JsonObject): JsonObject {
    if (!Array.isArray(chunk.choices)) return chunk;
    return {
      ...chunk,
      choices: chunk.choices.map((choice) => (isJsonObject(choice) ? this.#choice(choice) : choice)),
    };
  }

  #choice(choice: JsonObject): JsonObject {
    const { index = 0, delta, finish_reason: reason } = choice;
    requireGoodEnd(reason);
    const begun = this.#at(index);
    const isEnd = typeof reason === 'string' && reason !== '';
    if (isEnd) begun.finished = true;
    const { tool_calls: given, ...said } = isJsonObject(delta) ? plainContent(delta) : {};
    const calls = Array.isArray(given) ? given.map((piece) => pieceOf(piece, begun)) : given;
    const held = isEnd ? begun.placeholders.end() : [];
    if (!isJsonObject(delta) && held.length === 0) return choice;
    const all = held.length === 0 ? calls : [...(Array.isArray(calls) ? calls : []), ...held];
    return { ...choice, delta: all === undefined ? said : { ...said, tool_calls: all } };
  }

  #at(index: unknown): Begun {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const begun = {
      calls: new CallNumbers(this.#answerId),
      placeholders: new PlaceholderArguments(),
      finished: false,
    };
    this.#choices.set(index, begun);
    return begun;
  }

  hasCalls(index: unknown): boolean {
    return (this.#choices.get(index ?? 0)?.calls.count ?? 0) > 0;
  }

  /** The end of the choices that the host has left without one. */
  ends(): readonly JsonObject[] {
    return [...this.#choices].flatMap(([index, { finished, calls, placeholders }]) => {
      if (finished) return [];
      const held = placeholders.end();
      const delta = held.length === 0 ? {} : { tool_calls: held };
      return [{ index, delta, finish_reason: calls.count > 0 ? 'tool_calls' : 'stop' }];
    });
  }
}

const pieceOf = (piece: unknown, { calls, placeholders }: Begun): unknown =>
  isJsonObject(piece) ? placeholders.read(calls.read(piece)) : piece;

/** A choice that ends by a name that callers know; the host's own name stands beside it. */
export function withFinishName(choice: JsonObject, hasCalls: boolean): JsonObject {
  const { finish_reason: reason } = choice;
  if (typeof reason !== 'string' || reason === '') return choice;
  const name = finishName(reason, hasCalls);
  return name === reason ? choice : { ...choice, finish_reason: name, native_finish_reason: reason };
}
