/** Output items of the Responses API (OpenAI API reference, The response object, `output`). */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Capsules } from '../../../core/upstream/capsules.ts';
import type { AssistantPart } from '../../../core/upstream/conversation.ts';
import { legalToolCallId } from '../../../core/upstream/tool-calls.ts';
import { endId, sealItems } from '../items-capsule.ts';
import type { ResponsesRequest } from '../request.ts';
import type { ToolNames } from '../tool-names.ts';

/** OpenAI refuses longer ids of calls. */
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

/** Its text is a summary: every client shows that, and few know any other. A signature stands where one goes out sealed. */
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
  /** As the route knows it. */
  readonly name: string;
  readonly status: ItemStatus;
  /** Arguments of a function, or the text for a custom tool. */
  readonly text: string;
}

export function callItem({ id, callId, name: sent, status, text }: CallItem, names: ToolNames): JsonObject {
  const { type, name, namespace } = names.called(sent);
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

/** Ids begin as OpenAI's do; clients look at that. */
const PREFIXES: Readonly<Record<Kind, string>> = {
  message: 'msg',
  reasoning: 'rs',
  call: 'fc',
  'custom call': 'ctc',
};

/** The id of an item by its place in the answer. */
export const itemId = (kind: Kind, answerId: string, index: number): string =>
  `${PREFIXES[kind]}_${answerId.replace(/^resp_/, '')}_${index}`;

export const callKind = (names: ToolNames, name: string): Kind =>
  names.called(name).type === 'custom' ? 'custom call' : 'call';

/** The items of a response that a caller receives. */
export class OutgoingItems {
  readonly #capsules: Capsules;
  readonly #isEncrypted: boolean;
  readonly #hasEnd: boolean;

  constructor({ store, include }: Pick<ResponsesRequest, 'store' | 'include'>, capsules: Capsules) {
    this.#capsules = capsules;
    this.#isEncrypted = store === false || include?.includes('reasoning.encrypted_content') === true;
    this.#hasEnd = store !== false;
  }

  /** An item; one of reasoning has all of itself sealed where the caller asks for that. */
  item(item: JsonObject): JsonObject {
    if (item.type !== 'reasoning') return item;
    const { encrypted_content: _signature, ...shown } = item;
    return this.#isEncrypted ? { ...shown, encrypted_content: sealItems(this.#capsules, [item]) } : shown;
  }

  /**
   * The item that ends an answer whose caller believes that items are stored. Functions' calls are sent back whole, so an
   * answer of nothing else needs none.
   */
  end(items: readonly JsonObject[]): JsonObject | undefined {
    if (!this.#hasEnd || items.every(({ type }) => type === 'function_call')) return undefined;
    const id = endId(this.#capsules, items);
    return id === undefined ? undefined : reasoningItem(id, '');
  }

  /** All items of a whole answer. */
  all(items: readonly JsonObject[]): JsonObject[] {
    const end = this.end(items);
    return [...items.map((item) => this.item(item)), ...(end === undefined ? [] : [end])];
  }
}
