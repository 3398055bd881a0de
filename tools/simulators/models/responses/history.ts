/** The earlier turns of a request and their completeness: stored items, reasoning, and calls with their results. */
import type { StoredResponses } from '../control/kept-responses.ts';
import { opened, type SignatureScope } from '../exchange/proof.ts';
import { rejectionAs } from '../openai/protocol.ts';
import { type InputItem, inputItemSchema, type ReasoningItem } from './input.ts';
import type { ResponsesRequest } from './request.ts';

/** The reasoning that a value of `encrypted_content` stands for, and the item it was given with. */
export interface SealedReasoning {
  readonly id: string;
  readonly text: string;
}

const notFound = (id: string) =>
  rejectionAs(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    'input',
  );

function checkReasoning(item: ReasoningItem, scope: SignatureScope, storedResponses: StoredResponses): void {
  const { id, encrypted_content: sealedText } = item;
  if (sealedText == null) {
    if (id == null || storedResponses.item(id) === undefined) throw notFound(id ?? '');
    return;
  }
  const reasoning = opened(scope, sealedText) as SealedReasoning | undefined;
  const shown = `${sealedText.slice(0, 4)}...${sealedText.slice(-4)}`;
  if (reasoning === undefined)
    throw rejectionAs(
      `The encrypted content ${shown} could not be verified. ` +
        'Reason: Encrypted content could not be decrypted or parsed.',
      null,
      'invalid_encrypted_content',
    );
  if (id != null && id !== reasoning.id)
    throw rejectionAs(
      `The encrypted content for item ${id} could not be verified. ` +
        'Reason: Encrypted content item_id did not match the target item id.',
      null,
      'invalid_encrypted_content',
    );
}

/** The types of items that may follow reasoning, because the same response contains them. */
const FOLLOWERS = ['message', 'function_call', 'custom_tool_call', 'reasoning', 'item_reference'];

function checkFollowed(items: readonly InputItem[]): void {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning' || item.id == null) continue;
    const next = items[index + 1];
    const isOwn = next !== undefined && FOLLOWERS.includes(next.type);
    if (isOwn && !(next.type === 'message' && 'role' in next && next.role !== 'assistant')) continue;
    throw rejectionAs(
      `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
      'input',
    );
  }
}

/** The kinds of calls, by what their results are named. */
const CALLS = {
  function_call: ['function_call_output', 'function call'],
  custom_tool_call: ['custom_tool_call_output', 'custom tool call'],
} as const;

/** Every call has a result somewhere after it, and every result its call before it. */
function checkResults(items: readonly InputItem[]): void {
  for (const [type, [resultType, name]] of Object.entries(CALLS)) {
    const called = new Set<string>();
    const open = new Set<string>();
    for (const item of items) {
      if (!('call_id' in item) || typeof item.call_id !== 'string') continue;
      if (item.type === type) {
        called.add(item.call_id);
        open.add(item.call_id);
      } else if (item.type === resultType) {
        if (!called.has(item.call_id))
          throw rejectionAs(`No tool call found for ${name} output with call_id ${item.call_id}.`, 'input');
        open.delete(item.call_id);
      }
    }
    const [missing] = open;
    if (missing !== undefined) throw rejectionAs(`No tool output found for ${name} ${missing}.`, 'input');
  }
}

function previousItems(
  { previous_response_id: id }: ResponsesRequest,
  storedResponses: StoredResponses,
): InputItem[] {
  if (id == null) return [];
  const items = storedResponses.itemsOf(id);
  if (items !== undefined) return items.map((item) => inputItemSchema.parse(item));
  const code = 'previous_response_not_found';
  throw rejectionAs(`Previous response with id '${id}' not found.`, 'previous_response_id', code);
}

/** The items of the request as it writes them. */
function ownItems({ input = [] }: ResponsesRequest): readonly InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

/** The whole conversation, with what is kept in place of references to it. Throws `RequestError`. */
export function conversationOf(
  request: ResponsesRequest,
  scope: SignatureScope,
  storedResponses: StoredResponses,
): InputItem[] {
  const newItems = ownItems(request).map((item) => {
    if (item.type !== 'item_reference' || typeof item.id !== 'string') return item;
    const reasoning = storedResponses.item(item.id);
    if (reasoning === undefined) throw notFound(item.id);
    return inputItemSchema.parse(reasoning);
  });
  const items = [...previousItems(request, storedResponses), ...newItems];
  for (const item of items)
    if (item.type === 'reasoning') checkReasoning(item as ReasoningItem, scope, storedResponses);
  checkFollowed(items);
  checkResults(items);
  return items;
}
