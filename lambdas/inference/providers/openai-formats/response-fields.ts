/**
 * The fields of a response and its events that reach a caller of this protocol (OpenAI API reference, The response
 * object; Streaming events). The ids of its items are replaced by ours.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import { type AnswerIdentity, UpstreamFailure } from '../../core/upstream/provider.ts';
import { objectOf } from '../http-upstream.ts';
import {
  count,
  type Field,
  type Fields,
  fields,
  kept,
  list,
  listOf,
  object,
  objectWith,
  oneOf,
  plainName,
  text,
  textOrList,
} from '../kept-fields.ts';
import { itemsOf, proofOf } from './items.ts';

/** A number, or a yes or no. */
const scalar: Field = (value) =>
  typeof value === 'string' || Array.isArray(value) || isJsonObject(value) ? undefined : value;

const textOrObject: Field = (value) => (typeof value === 'string' ? value : object(value));

const part = objectWith(fields({ type: plainName, text, refusal: text, annotations: list, logprobs: list }));

const call = { status: plainName, call_id: text, name: text, namespace: text, caller: object };

/** Kinds whose fields are known; any other kind, of a provider's tool, is content as it is. */
const ITEMS: ReadonlyMap<unknown, Fields> = new Map([
  [
    'message',
    fields({ status: plainName, role: () => 'assistant', phase: plainName, content: listOf(part) }),
  ],
  ['reasoning', fields({ status: plainName, summary: listOf(part), content: listOf(part) })],
  ['function_call', fields({ ...call, arguments: text })],
  ['custom_tool_call', fields({ ...call, input: text })],
]);

/** Fields of the response itself, and those that it repeats from the request. */
const RESPONSE = fields({
  created_at: scalar,
  completed_at: scalar,
  status: plainName,
  incomplete_details: objectWith(fields({ reason: plainName })),
  instructions: textOrList,
  metadata: object,
  tools: list,
  tool_choice: textOrObject,
  parallel_tool_calls: scalar,
  temperature: scalar,
  top_p: scalar,
  top_logprobs: scalar,
  max_output_tokens: scalar,
  max_tool_calls: scalar,
  background: scalar,
  store: scalar,
  reasoning: object,
  text: object,
  truncation: plainName,
  prompt_cache_key: text,
  safety_identifier: text,
  user: text,
  service_tier: oneOf('auto', 'default', 'flex', 'priority', 'fast', 'scale'),
});

/** The fields of all events that are neither of a response nor of a whole item. */
const EVENT = fields({
  output_index: count,
  content_index: count,
  summary_index: count,
  annotation_index: count,
  command_index: count,
  partial_image_index: count,
  status: plainName,
  delta: textOrObject,
  text,
  refusal: text,
  arguments: text,
  input: text,
  code: text,
  command: text,
  name: text,
  part,
  annotation: object,
  logprobs: list,
  output: list,
  partial_image_b64: text,
  background: text,
  output_format: text,
  quality: text,
  size: text,
});

/** No other text may stand outside the data of an event. */
const EVENT_NAME = /^response\.[a-z0-9_.]{1,64}$/;

/** The answer of one call, whole or in events, without its usage. Throws `UpstreamFailure` for a field of a wrong type. */
export class ResponseFields {
  readonly #identity: AnswerIdentity;
  readonly #signatures: Signatures;
  readonly #ids: ItemIds;
  /** The signatures of items by `output_index`; each item arrives again with the complete response. */
  readonly #proofs = new Map<unknown, string>();
  /** The items that have ended. */
  readonly #whole = new Map<unknown, JsonObject>();

  constructor(identity: AnswerIdentity, signatures: Signatures) {
    this.#identity = identity;
    this.#signatures = signatures;
    this.#ids = new ItemIds(identity.id);
  }

  response(body: unknown): JsonObject {
    const { id, model } = this.#identity;
    const { output, ...response } = objectOf(body);
    return {
      id,
      object: 'response',
      ...kept(response, RESPONSE),
      error: null,
      model,
      output: this.#output(itemsOf(output ?? [])),
    };
  }

  /** Undefined for an event that is none of a response's; one that is not known has the fields that others have. */
  event(event: JsonObject): JsonObject | undefined {
    const { type } = event;
    if (typeof type !== 'string' || !EVENT_NAME.test(type)) return undefined;
    if (event.response !== undefined) return { type, response: this.response(event.response) };
    if (event.item !== undefined) {
      const place = count(event.output_index);
      const isWhole = type === 'response.output_item.done';
      const item = this.#item(objectOf(event.item), place, isWhole);
      if (isWhole) this.#whole.set(place, item);
      return { type, output_index: place, item };
    }
    const id = this.#ids.ofEvent(event);
    return { type, ...(id === undefined ? {} : { item_id: id }), ...kept(event, EVENT) };
  }

  /** Some servers leave out of the whole response what its events have said. */
  #output(items: readonly JsonObject[]): readonly JsonObject[] {
    if (items.length === 0) return [...this.#whole.values()];
    return items.map((item, place) => this.#item(item, place, true));
  }

  #item(item: JsonObject, place: unknown, isWhole: boolean): JsonObject {
    const { type } = item;
    if (plainName(type) === undefined) throw new UpstreamFailure('protocol');
    const known = ITEMS.get(type);
    const { id: _id, encrypted_content: _proof, created_by: _author, ...rest } = item;
    // The proof of an item that has only begun is not yet the one to send back.
    const proof = isWhole ? this.#proof(item, place) : undefined;
    return {
      id: this.#ids.ofItem(place, item),
      type,
      ...(known === undefined ? rest : kept(rest, known)),
      ...(proof === undefined ? {} : { encrypted_content: proof }),
    };
  }

  #proof(item: JsonObject, place: unknown): string | undefined {
    const sealed = this.#proofs.get(place) ?? proofOf(item, this.#signatures);
    if (sealed !== undefined) this.#proofs.set(place, sealed);
    return sealed;
  }
}

/** The letters before an id, by the type of its item, as clients know them. */
const PREFIXES: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['reasoning', 'rs'],
]);

/** A server's own prefix, which it wants to see again on an item of its tools. */
const OWN_PREFIX = /^([a-z]{1,8})_/;

const OTHER = 'item';

export class ItemIds {
  readonly #base: string;
  /** The ids of items, by `output_index`. */
  readonly #ids = new Map<unknown, string>();
  /** The `output_index` of items by the upstream's own id, for events without one. */
  readonly #places = new Map<unknown, unknown>();

  /** `answerId`: `resp_` and what makes it one of its own. */
  constructor(answerId: string) {
    this.#base = answerId.replace(/^[a-z]+[_-]/, '');
  }

  /** The id of the item at a place. */
  ofItem(place: unknown, { type, id }: { readonly type?: unknown; readonly id?: unknown }): string {
    if (typeof id === 'string') this.#places.set(id, place);
    const known = this.#ids.get(place);
    if (known !== undefined) return known;
    const own = typeof id === 'string' ? OWN_PREFIX.exec(id)?.[1] : undefined;
    const made = `${PREFIXES.get(type) ?? own ?? OTHER}_${this.#base}_${place}`;
    this.#ids.set(place, made);
    return made;
  }

  /** The id of the item that an event is of; undefined for one that has not begun. */
  ofEvent({
    output_index: place,
    item_id: id,
  }: {
    readonly output_index?: unknown;
    readonly item_id?: unknown;
  }): string | undefined {
    return this.#ids.get(place ?? this.#places.get(id));
  }
}
