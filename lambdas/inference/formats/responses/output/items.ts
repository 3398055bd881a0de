/** Output items of the Responses API (OpenAI API reference, The response object, `output`). */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { AssistantPart } from '../../../core/upstream/conversation.ts';
import type { SealedTokens } from '../../../core/upstream/sealed-tokens.ts';
import { legalToolCallId } from '../../../core/upstream/tool-calls.ts';
import type { ResponsesRequest } from '../request.ts';
import { endId, sealItems } from '../sealed-items.ts';
import type { ToolNames } from '../tool-names.ts';

/** OpenAI rejects longer ids of calls. */
const MAX_CALL_ID = 64;

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

type Content = Extract<AssistantPart, { type: 'text' | 'refusal' }>;

export const contentPart = ({ type, text }: Content): JsonObject =>
  type === 'text' ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type, refusal: text };

export const messageItem = (id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject => ({
  type: 'message',
  id,
  status,
  role: 'assistant',
  content,
});

/**
 * Returns a reasoning item. Its text is a summary, because every client shows a summary and few support other text. A
 * signature is included if a sealed one is sent.
 */
export const reasoningItem = (id: string, text: string, signature?: string): JsonObject => ({
  type: 'reasoning',
  id,
  summary: text === '' ? [] : [summaryPart(text)],
  ...(signature === undefined ? {} : { encrypted_content: signature }),
});

export const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text });

export interface CallItem {
  readonly id: string;
  readonly callId: string;
  /** The name that the route uses. */
  readonly name: string;
  readonly status: ItemStatus;
  /** Arguments of a function, or the text for a custom tool. */
  readonly text: string;
}

export function callItem(
  { id, callId, name: routeName, status, text }: CallItem,
  names: ToolNames,
): JsonObject {
  const { type, name, namespace } = names.called(routeName);
  const called = {
    id,
    call_id: legalToolCallId(callId, MAX_CALL_ID),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return type === 'custom'
    ? { type: 'custom_tool_call', ...called, input: text, status }
    : { type: 'function_call', ...called, arguments: text, status };
}

type Kind = 'message' | 'reasoning' | 'call' | 'custom call';

/** Ids have the same prefixes as OpenAI's, because clients check the prefix. */
const PREFIXES: Readonly<Record<Kind, string>> = {
  message: 'msg',
  reasoning: 'rs',
  call: 'fc',
  'custom call': 'ctc',
};

/** Returns the id of an item by its index in the response. */
export const itemId = (kind: Kind, responseId: string, index: number): string =>
  `${PREFIXES[kind]}_${responseId.replace(/^resp_/, '')}_${index}`;

export const callKind = (names: ToolNames, name: string): Kind =>
  names.called(name).type === 'custom' ? 'custom call' : 'call';

/** The items of a response that a caller receives. */
export class OutputItemSealer {
  readonly #sealedTokens: SealedTokens;
  readonly #isEncrypted: boolean;
  readonly #hasEnd: boolean;

  constructor({ store, include }: Pick<ResponsesRequest, 'store' | 'include'>, sealedTokens: SealedTokens) {
    this.#sealedTokens = sealedTokens;
    this.#isEncrypted = store === false || include?.includes('reasoning.encrypted_content') === true;
    this.#hasEnd = store !== false;
  }

  /** Returns an item. Reasoning is sealed completely if the caller requests it. */
  seal(item: JsonObject): JsonObject {
    if (item.type !== 'reasoning') return item;
    const { encrypted_content: _signature, ...shown } = item;
    return this.#isEncrypted ? { ...shown, encrypted_content: sealItems(this.#sealedTokens, [item]) } : shown;
  }

  /**
   * Returns the item that ends a response for a caller who expects items to be stored. Callers send function calls back
   * in full, so a response with only function calls needs none.
   */
  endItem(items: readonly JsonObject[]): JsonObject | undefined {
    if (!this.#hasEnd || items.every(({ type }) => type === 'function_call')) return undefined;
    const id = endId(this.#sealedTokens, items);
    return id === undefined ? undefined : reasoningItem(id, '');
  }

  /** Returns all items of a complete response. */
  sealAll(items: readonly JsonObject[]): JsonObject[] {
    const endItem = this.endItem(items);
    return [...items.map((item) => this.seal(item)), ...(endItem === undefined ? [] : [endItem])];
  }
}
