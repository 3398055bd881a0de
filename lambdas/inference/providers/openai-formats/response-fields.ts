/**
 * Allow-list of the fields of a response and its events that are returned to a caller of this protocol (OpenAI API
 * reference, The response object; Streaming events). The ids of its items are replaced by the service's ids.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type ResponseIdentity, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { argumentsText, CallIds } from '../../core/upstream/tool-calls.ts';
import {
  count,
  type Field,
  type Fields,
  fields,
  imageData,
  list,
  listOf,
  object,
  objectWith,
  oneOf,
  pickFields,
  plainName,
  text,
  textOrList,
} from '../allowed-fields.ts';
import { objectOf } from '../http-upstream.ts';
import { itemsOf, signatureOf } from './items.ts';

/** A number, or a yes or no. */
const scalar: Field = (value) =>
  typeof value === 'string' || Array.isArray(value) || isJsonObject(value) ? undefined : value;

const textOrObject: Field = (value) => (typeof value === 'string' ? value : object(value));

const part = objectWith(fields({ type: plainName, text, refusal: text, annotations: list, logprobs: list }));

const call = { status: plainName, name: text, namespace: text, caller: object };

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

/** Item types with known fields. Any other type, of a provider's tool, passes unchanged. */
const ITEMS: ReadonlyMap<unknown, Fields> = new Map([
  [
    'message',
    fields({ status: plainName, role: () => 'assistant', phase: plainName, content: listOf(part) }),
  ],
  ['reasoning', fields({ status: plainName, summary: listOf(part), content: listOf(part) })],
  ['function_call', fields(call)],
  [
    'image_generation_call',
    fields({
      status: plainName,
      result: imageData,
      revised_prompt: text,
      action: plainName,
      background: plainName,
      output_format: plainName,
      quality: plainName,
      size: plainName,
    }),
  ],
  ['custom_tool_call', fields({ ...call, input: text })],
]);

/** Item types that only a caller writes: a route that returned one would speak for the caller in its next request. */
const CALLERS_ITEMS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'computer_call_output',
  'local_shell_call_output',
  'mcp_approval_response',
  'item_reference',
  'additional_tools',
  'configuration_update',
  'compaction_trigger',
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
  arguments: argumentsText,
  input: text,
  code: text,
  command: text,
  name: text,
  part,
  annotation: object,
  logprobs: list,
  output: list,
  partial_image_b64: imageData,
  background: text,
  output_format: text,
  quality: text,
  size: text,
});

/** No other text may stand outside the data of an event. */
const EVENT_NAME = /^response\.[a-z0-9_.]{1,64}$/;

/**
 * The response to one call, complete or in events, without its usage. Throws `UpstreamFailure` for a field of a wrong
 * type.
 */
export class ResponseFields {
  readonly #identity: ResponseIdentity;
  readonly #signatures: Signatures;
  readonly #ids: ItemIds;
  readonly #callIds: CallIds;
  /** The signatures of items by `output_index`; each item arrives again with the complete response. */
  readonly #itemSignatures = new Map<unknown, string>();

  constructor(identity: ResponseIdentity, signatures: Signatures) {
    this.#identity = identity;
    this.#signatures = signatures;
    this.#ids = new ItemIds(identity.id);
    this.#callIds = new CallIds(identity.id);
  }

  /** `isStreamed`: the response of an event, whose items may have numbers other than their positions. */
  response(body: unknown, isStreamed = false): JsonObject {
    const { id, model } = this.#identity;
    const { output, ...response } = objectOf(body);
    return {
      id,
      object: 'response',
      ...pickFields(response, RESPONSE),
      error: null,
      model,
      output: itemsOf(output ?? []).map((item, position) => {
        if (!isStreamed) return this.#item(item, position, true);
        const { output_index: number = position, ...rest } = item;
        return this.#item(rest, count(number), true);
      }),
    };
  }

  /**
   * Returns the event for the caller. Undefined for an event that does not belong to a response. An unknown event
   * retains the fields that other events have.
   */
  event(event: JsonObject): JsonObject | undefined {
    const { type } = event;
    if (typeof type !== 'string' || !EVENT_NAME.test(type)) return undefined;
    if (event.response !== undefined) return { type, response: this.response(event.response, true) };
    if (event.item !== undefined) {
      const outputIndex = count(event.output_index);
      const isComplete = type === 'response.output_item.done';
      return {
        type,
        output_index: outputIndex,
        item: this.#item(objectOf(event.item), outputIndex, isComplete),
      };
    }
    const id = this.#ids.ofEvent(event);
    return { type, ...(id === undefined ? {} : { item_id: id }), ...pickFields(event, EVENT) };
  }

  #item(item: JsonObject, outputIndex: unknown, isComplete: boolean): JsonObject {
    const { type } = item;
    if (plainName(type) === undefined || CALLERS_ITEMS.has(type)) throw new UpstreamFailure('protocol');
    const itemFields = ITEMS.get(type);
    // An item of a provider's tool has no role: with one, it would be read as a message.
    const { id: _id, encrypted_content: _signature, created_by: _author, role: _role, ...rest } = item;
    // The signature of an incomplete item is not final, so it is not sent.
    const signature = isComplete ? this.#signatureOf(item, outputIndex) : undefined;
    return {
      id: this.#ids.ofItem(outputIndex, item),
      type,
      ...(itemFields === undefined ? rest : pickFields(item, itemFields)),
      ...(CALLS.has(type) ? { call_id: this.#callIds.at(outputIndex, item.call_id) } : {}),
      ...(type === 'function_call' ? { arguments: argumentsOf(item, isComplete) } : {}),
      ...(signature === undefined ? {} : { encrypted_content: signature }),
    };
  }

  #signatureOf(item: JsonObject, outputIndex: unknown): string | undefined {
    const sealed = this.#itemSignatures.get(outputIndex) ?? signatureOf(item, this.#signatures);
    if (sealed !== undefined) this.#itemSignatures.set(outputIndex, sealed);
    return sealed;
  }
}

/** An item that starts has no arguments yet. */
const argumentsOf = ({ arguments: called }: JsonObject, isComplete: boolean): string =>
  isComplete || (called != null && called !== '') ? argumentsText(called) : '';

/** The id prefix that clients expect, by item type. */
const PREFIXES: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['reasoning', 'rs'],
]);

/** The prefix of a server's own ids, which the server expects on items of its tools. */
const OWN_PREFIX = /^([a-z]{1,8})_/;

const OTHER = 'item';

class ItemIds {
  readonly #base: string;
  /** The ids of items, by `output_index`. */
  readonly #ids = new Map<unknown, string>();

  /** `responseId`: `resp_` and a unique suffix. */
  constructor(responseId: string) {
    this.#base = responseId.replace(/^[a-z]+[_-]/, '');
  }

  /** The id of the item at a place. */
  ofItem(outputIndex: unknown, { type, id }: { readonly type?: unknown; readonly id?: unknown }): string {
    const existingId = this.#ids.get(outputIndex);
    if (existingId !== undefined) return existingId;
    const upstreamPrefix = typeof id === 'string' ? OWN_PREFIX.exec(id)?.[1] : undefined;
    const itemId = `${PREFIXES.get(type) ?? upstreamPrefix ?? OTHER}_${this.#base}_${outputIndex}`;
    this.#ids.set(outputIndex, itemId);
    return itemId;
  }

  /** Returns the id of an event's item. Undefined for an item that has not started. */
  ofEvent({ output_index: outputIndex }: { readonly output_index?: unknown }): string | undefined {
    return this.#ids.get(outputIndex);
  }
}
