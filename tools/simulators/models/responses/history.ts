/** The earlier turns of a request and their completeness: reasoning, and calls with their results. */
import { opened, type SignatureScope } from '../exchange/proof.ts';
import { rejectionAs } from '../openai/protocol.ts';
import type { InputItem, ReasoningItem } from './input.ts';
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

function checkReasoning(item: ReasoningItem, scope: SignatureScope): void {
  const { id, encrypted_content: sealedText } = item;
  if (sealedText == null) throw notFound(id ?? '');
  const reasoning = opened(scope, sealedText) as SealedReasoning | undefined;
  const shown = `${sealedText.slice(0, 4)}...${sealedText.slice(-4)}`;
  const isOther = id != null && id !== reasoning?.id;
  if (reasoning !== undefined && !isOther) return;
  const reason =
    reasoning === undefined ? 'could not be decrypted or parsed' : 'item_id did not match the target item id';
  throw rejectionAs(
    `The encrypted content ${shown} could not be verified. Reason: Encrypted content ${reason}.`,
    null,
    'invalid_encrypted_content',
  );
}

/** The types of items that may follow reasoning, because the same response contains them. */
const FOLLOWERS = ['message', 'function_call', 'custom_tool_call', 'reasoning'];

function checkFollowed(items: readonly InputItem[]): void {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning' || item.id == null) continue;
    const next = items[index + 1];
    const isOwn = next !== undefined && FOLLOWERS.includes(next.type);
    if (isOwn && !(next.type === 'message' && next.role !== 'assistant')) continue;
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
      if (!('call_id' in item)) continue;
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

/** The whole conversation; nothing that was stored is found. Throws `RequestError`. */
export function conversationOf(request: ResponsesRequest, scope: SignatureScope): readonly InputItem[] {
  const { input = [], previous_response_id: id } = request;
  const code = 'previous_response_not_found';
  if (id != null)
    throw rejectionAs(`Previous response with id '${id}' not found.`, 'previous_response_id', code);
  const items: readonly InputItem[] =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  for (const item of items) {
    if (item.type === 'item_reference') throw notFound(item.id);
    if (item.type === 'reasoning') checkReasoning(item, scope);
  }
  checkFollowed(items);
  checkResults(items);
  return items;
}
