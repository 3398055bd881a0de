/**
 * Replaces sealed tokens in a request's items by their content. The service stores nothing of a response, so a caller's
 * request must contain it. Reasoning is in `encrypted_content`. References to items need the reasoning item that ended
 * the response: its id contains all items of the response (`sealed-items.ts`).
 */
import { ServiceError } from '../../../../platform/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { SealedTokens } from '../../../core/upstream/sealed-tokens.ts';
import { openItems } from '../sealed-items.ts';
import { isValidItem, MAX_ITEMS } from './item-schema.ts';
import { COMMON_ITEMS, itemType, type ResponsesItem } from './items.ts';

/** Maximum number of characters that sealed tokens and references may add to a request: as many as a body may have. */
const MAX_RESOLVED = 8_000_000;

/** An item for the routes, and the place in the caller's input that it comes from. */
export interface ResolvedItem {
  readonly item: ResponsesItem;
  readonly at: number;
}

/**
 * Returns the items in their order. References and sealed tokens are replaced by their content. The result has no ids,
 * no nulls, and `encrypted_content` only if it is a signature. Reads each token once. The time is proportional to the
 * size of the request and of its tokens. Throws 400:
 * - `state_not_kept` for a reference to an item that the input does not contain.
 * - `invalid_capsule` for a sealed token that was changed.
 * - `invalid_value` for more items or text than `MAX_ITEMS` and `MAX_RESOLVED`, and for an output without an earlier
 * call.
 */
export function resolveItems(
  input: readonly ResponsesItem[],
  sealedTokens: SealedTokens,
): readonly ResolvedItem[] {
  const resolution = new Resolution(sealedTokens);
  for (const [at, item] of input.entries()) resolution.register(item, at);
  for (const [at, item] of input.entries()) resolution.add(item, at);
  requireCalls(resolution.resolved);
  return resolution.resolved;
}

interface RegisteredItem {
  readonly item: ResponsesItem;
  readonly size: number;
}

class Resolution {
  readonly resolved: ResolvedItem[] = [];
  readonly #sealedTokens: SealedTokens;
  readonly #signatures = new Set<string>();
  /** The items in each sealed token that was opened, by the token; undefined for any other text. */
  readonly #opened = new Map<string, readonly RegisteredItem[] | undefined>();
  /** The items that can be referred to, by id. */
  readonly #registered = new Map<string, RegisteredItem>();
  /** The number of characters added by sealed tokens and references. */
  #added = 0;

  constructor(sealedTokens: SealedTokens) {
    this.#sealedTokens = sealedTokens;
  }

  /** Notes the items that the id of this one holds. */
  register(item: ResponsesItem, at: number): void {
    for (const inner of this.#itemsInId(item, at) ?? []) {
      const { id } = inner.item;
      if (typeof id === 'string') this.#registered.set(id, inner);
    }
  }

  /** Adds what an item of the input stands for. */
  add(item: ResponsesItem, at: number): void {
    if (this.#itemsInId(item, at) !== undefined) return;
    if (itemType(item) !== 'item_reference') {
      this.#put(item, at);
      return;
    }
    const target = this.#registered.get(String(item.id));
    if (target === undefined) throw unresolved(at);
    this.#count(target.size, at);
    this.#put(target.item, at);
  }

  /** Returns the items in the id of a response's last item; undefined for any other item. */
  #itemsInId(item: ResponsesItem, at: number): readonly RegisteredItem[] | undefined {
    const type = itemType(item);
    if ((type !== 'reasoning' && type !== 'item_reference') || typeof item.id !== 'string') return undefined;
    return this.#open(item.id, at, 'id');
  }

  /** Returns the items in a sealed token. An upstream wrote them, so those that no caller may send are left out. */
  #open(text: string, at: number, field: string): readonly RegisteredItem[] | undefined {
    if (this.#opened.has(text)) return this.#opened.get(text);
    const openedItems = openItems(this.#sealedTokens, text, `input[${at}].${field}`);
    const items = openedItems
      ?.filter(isValidItem)
      .map((item) => ({ item, size: JSON.stringify(item).length }));
    // Counted once, so that several sealed tokens never exceed the size of a request.
    for (const { size } of items ?? []) this.#count(size, at);
    this.#opened.set(text, items);
    return items;
  }

  #put(item: ResponsesItem, at: number): void {
    const type = itemType(item);
    if (type === 'reasoning') this.#putReasoning(item, at);
    else if (type !== 'item_reference') this.#push(COMMON_ITEMS.has(type) ? withoutId(item) : item, at);
  }

  #putReasoning(item: ResponsesItem, at: number): void {
    const innerItems = this.#innerItemsOf(item, at);
    if (innerItems === undefined) this.#pushReasoning(item, at);
    for (const inner of innerItems ?? []) {
      this.#count(inner.size, at);
      // A sealed token never contains another.
      if (itemType(inner.item) === 'reasoning') this.#pushReasoning(inner.item, at);
    }
  }

  /**
   * Returns the items in the sealed token of a reasoning item. For an item without a token, returns the item that the
   * last item of the response contains under its id.
   */
  #innerItemsOf(
    { id, encrypted_content: encrypted }: ResponsesItem,
    at: number,
  ): readonly RegisteredItem[] | undefined {
    if (typeof encrypted === 'string') return this.#open(encrypted, at, 'encrypted_content');
    const registered = typeof id === 'string' ? this.#registered.get(id) : undefined;
    return registered === undefined ? undefined : [registered];
  }

  /**
   * Adds a reasoning item. Encrypted content that another service or the caller created is dropped, because no route
   * accepts it. Reasoning that then contains nothing is dropped too.
   */
  #pushReasoning({ encrypted_content: encrypted, ...item }: ResponsesItem, at: number): void {
    const signature =
      typeof encrypted === 'string' && this.#isSignature(encrypted, at) ? encrypted : undefined;
    const { summary, content } = item;
    if (signature === undefined && isEmpty(summary) && isEmpty(content)) return;
    const signatureField = signature === undefined ? {} : { encrypted_content: signature };
    this.#push(withoutId({ ...item, summary: summary ?? [], ...signatureField }), at);
  }

  #isSignature(text: string, at: number): boolean {
    if (this.#signatures.has(text)) return true;
    const isOne = this.#sealedTokens.open('signature', text, `input[${at}].encrypted_content`) !== undefined;
    if (isOne) this.#signatures.add(text);
    return isOne;
  }

  #push(item: ResponsesItem, at: number): void {
    if (this.resolved.length === MAX_ITEMS)
      throw tooMuch(at, `stands for more items than ${MAX_ITEMS} in all`);
    this.resolved.push({ item, at });
  }

  #count(size: number, at: number): void {
    this.#added += size;
    if (this.#added > MAX_RESOLVED) throw tooMuch(at, `stands for more text than ${MAX_RESOLVED} characters`);
  }
}

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;

/** Removes the id of an item. Ids are created by this service, and routes do not accept them. */
function withoutId({ id: _id, ...item }: JsonObject): ResponsesItem {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== null && value !== undefined),
  ) as ResponsesItem;
}

const CALLS: ReadonlyMap<string | undefined, string> = new Map([
  ['function_call_output', 'function_call'],
  ['custom_tool_call_output', 'custom_tool_call'],
]);

/** Requires an earlier call for every output. */
function requireCalls(resolved: readonly ResolvedItem[]): void {
  const called = new Set<string>();
  const keyOf = (type: string | undefined, id: unknown) => JSON.stringify([type, id]);
  for (const { item, at } of resolved) {
    const type = itemType(item);
    const call = CALLS.get(type);
    if (call === undefined) called.add(keyOf(type, item.call_id));
    else if (!called.has(keyOf(call, item.call_id)))
      throw new ServiceError(
        'invalid_value',
        `input[${at}].call_id: no ${call} of this id stands before the output; send the call, too.`,
        { param: `input[${at}].call_id` },
      );
  }
}

const tooMuch = (at: number, why: string): ServiceError =>
  new ServiceError('invalid_value', `input[${at}]: ${why}.`, { param: `input[${at}]` });

const unresolved = (at: number): ServiceError =>
  new ServiceError(
    'state_not_kept',
    `input[${at}]: this service keeps no items, and the input does not hold the one that is referred to; ` +
      'send the item itself (clients do with "store": false), or all items of the response, its last one included.',
    { param: `input[${at}]` },
  );

/** Returns the objects in a list; an empty list for any other value. */
export const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : [];
