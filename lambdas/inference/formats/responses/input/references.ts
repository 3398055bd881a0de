/**
 * The items of a request with what its capsules hold in their places. Nothing of an answer is kept here, so what a
 * caller sends of one must hold it: reasoning in `encrypted_content`, and for references to items the reasoning item
 * that ended the answer, whose id has all of its items in it (`items-capsule.ts`).
 */
import { ServiceError } from '../../../../platform/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Capsules } from '../../../core/upstream/capsules.ts';
import { openItems } from '../items-capsule.ts';
import { MAX_ITEMS } from './item-schema.ts';
import { COMMON_ITEMS, itemType, type ResponsesItem } from './items.ts';

/** Maximum number of characters that sealed tokens and references may add to a request: as many as a body may have. */
const MAX_RESOLVED = 8_000_000;

/** An item for the routes, and the place in the caller's input that it comes from. */
export interface ResolvedItem {
  readonly item: ResponsesItem;
  readonly at: number;
}

/**
 * The items in their order: references and capsules replaced by what they stand for, without ids, without nulls, and
 * with `encrypted_content` only where it is a signature. Reads each capsule once; takes time in proportion to the
 * request and what its capsules hold. Throws 400 `state_not_kept` for a reference to an item that the input does not
 * hold, `invalid_capsule` for a capsule that was changed, and `invalid_value` for more items or text than
 * `MAX_ITEMS` and `MAX_RESOLVED`, and for an output without an earlier call.
 */
export function resolveItems(input: readonly ResponsesItem[], capsules: Capsules): readonly ResolvedItem[] {
  const resolution = new Resolution(capsules);
  for (const [at, item] of input.entries()) resolution.register(item, at);
  for (const [at, item] of input.entries()) resolution.add(item, at);
  requireCalls(resolution.resolved);
  return resolution.resolved;
}

interface Registered {
  readonly item: ResponsesItem;
  readonly size: number;
}

class Resolution {
  readonly resolved: ResolvedItem[] = [];
  readonly #capsules: Capsules;
  readonly #signatures = new Set<string>();
  /** The items in each sealed token that was opened, by the token; undefined for any other text. */
  readonly #opened = new Map<string, readonly Registered[] | undefined>();
  /** The items that can be referred to, by id. */
  readonly #registered = new Map<string, Registered>();
  /** Characters that capsules and references have added. */
  #added = 0;

  constructor(capsules: Capsules) {
    this.#capsules = capsules;
  }

  /** Notes the items that the id of this one holds. */
  register(item: ResponsesItem, at: number): void {
    for (const held of this.#end(item, at) ?? []) {
      const { id } = held.item;
      if (typeof id === 'string') this.#registered.set(id, held);
    }
  }

  /** Adds what an item of the input stands for. */
  add(item: ResponsesItem, at: number): void {
    if (this.#end(item, at) !== undefined) return;
    if (itemType(item) !== 'item_reference') {
      this.#put(item, at);
      return;
    }
    const found = this.#registered.get(String(item.id));
    if (found === undefined) throw unresolved(at);
    this.#count(found.size, at);
    this.#put(found.item, at);
  }

  /** Returns the items in the id of a response's last item; undefined for any other item. */
  #end(item: ResponsesItem, at: number): readonly Registered[] | undefined {
    const type = itemType(item);
    if ((type !== 'reasoning' && type !== 'item_reference') || typeof item.id !== 'string') return undefined;
    return this.#open(item.id, at, 'id');
  }

  #open(text: string, at: number, field: string): readonly Registered[] | undefined {
    if (this.#opened.has(text)) return this.#opened.get(text);
    const held = openItems(this.#capsules, text, `input[${at}].${field}`);
    const items = held?.map((item) => ({ item, size: JSON.stringify(item).length }));
    // Counted once, so that no number of capsules holds more than a request may.
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
    const held = this.#heldBy(item, at);
    if (held === undefined) this.#pushReasoning(item, at);
    for (const inner of held ?? []) {
      this.#count(inner.size, at);
      // A capsule holds no other.
      if (itemType(inner.item) === 'reasoning') this.#pushReasoning(inner.item, at);
    }
  }

  /**
   * Returns the items in the sealed token of a reasoning item. For an item without a token, returns the item that the
   * last item of the response contains under its id.
   */
  #heldBy(
    { id, encrypted_content: encrypted }: ResponsesItem,
    at: number,
  ): readonly Registered[] | undefined {
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
    const proof = signature === undefined ? {} : { encrypted_content: signature };
    this.#push(withoutId({ ...item, summary: summary ?? [], ...proof }), at);
  }

  #isSignature(text: string, at: number): boolean {
    if (this.#signatures.has(text)) return true;
    const isOne = this.#capsules.open('signature', text, `input[${at}].encrypted_content`) !== undefined;
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

/** Ids are this service's, and no route knows them. */
function withoutId({ id: _id, ...item }: JsonObject): ResponsesItem {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== null && value !== undefined),
  ) as ResponsesItem;
}

const CALLS: ReadonlyMap<string | undefined, string> = new Map([
  ['function_call_output', 'function_call'],
  ['custom_tool_call_output', 'custom_tool_call'],
]);

/** Every output answers a call that stands before it. */
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
      'send the item itself (clients do with "store": false), or all items of the answer, its last one included.',
    { param: `input[${at}]` },
  );

/** Returns the objects in a list; an empty list for any other value. */
export const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : [];
