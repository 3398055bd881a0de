/** A streamed answer of a server of the Responses protocol: bytes -> events -> reply events (OpenAI API reference, Streaming events). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type ReplyEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { drain, objectOf, parseEvent } from '../http-upstream.ts';
import { itemsOf, textOfItem } from '../openai-formats/items.ts';
import { PartReader } from '../openai-formats/part-reader.ts';
import { ResponseFields } from '../openai-formats/response-fields.ts';
import { failureOf } from './errors.ts';
import type { ResponsesCallContext } from './response.ts';
import { toUsage } from './usage.ts';

/** Some servers end their streams as they end those of chat completions. */
const DONE = '[DONE]';

/**
 * Turns the data of server-sent events into reply events: the same events under our own ids and model name for a caller
 * of this protocol, else parts. Ends normally only after `response.completed` or `response.incomplete`; throws
 * `UpstreamFailure` otherwise.
 */
export async function* toReplyEvents(
  data: AsyncIterable<string>,
  context: ResponsesCallContext,
): AsyncGenerator<ReplyEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const reader = new ResponseReader(context);
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value === DONE) break;
      const event = parseEvent(next.value);
      const reply = reader.read(event);
      if (!isEnd(event)) {
        yield reply;
        continue;
      }
      open = false;
      // The body's last bytes are read in the background, so that the connection can be used again.
      void drain(iterator);
      yield reply;
      return;
    }
  } finally {
    if (open) await iterator.return?.();
  }
  throw new UpstreamFailure('interrupted');
}

const isEnd = ({ type }: JsonObject): boolean =>
  type === 'response.completed' || type === 'response.incomplete';

/** One response as its events come. */
class ResponseReader {
  readonly #context: ResponsesCallContext;
  readonly #fields: ResponseFields | undefined;
  readonly #parts: PartReader;
  /** The places of items of which more than the name was counted. */
  readonly #counted = new Set<unknown>();
  /** Those of calls whose names were. */
  readonly #named = new Set<unknown>();

  constructor(context: ResponsesCallContext) {
    const { payload, identity, signatures } = context;
    const native = payload.protocol === 'openai-responses';
    this.#context = context;
    this.#fields = native ? new ResponseFields(identity, signatures) : undefined;
    this.#parts = new PartReader({ answerId: identity.id, signatures });
  }

  /** Throws `UpstreamFailure` for an error, and for an event that is not one of a response. */
  read(event: JsonObject): ReplyEvent {
    const { type } = event;
    if (type === 'error') throw failureOf(event.error ?? event);
    if (type === 'response.failed' || type === 'response.cancelled')
      throw failureOf(isJsonObject(event.response) ? event.response.error : undefined);
    const text = this.#textOf(event);
    const isItem = type === 'response.output_item.added' || type === 'response.output_item.done';
    const content = text !== '' || isItem || isEnd(event);
    if (!isEnd(event)) return { ...this.#delivered(event), text, content };
    const { tools } = this.#context.payload.body;
    const usage = toUsage(objectOf(event.response), { native: this.#fields !== undefined, tools });
    return { ...this.#delivered(event), ...(usage === undefined ? {} : { usage }), text, content };
  }

  #delivered(event: JsonObject): Pick<ReplyEvent, 'payload' | 'parts'> {
    if (this.#fields === undefined) {
      const parts = this.#parts.read(event);
      return parts.length === 0 ? {} : { parts };
    }
    const payload = this.#fields.event(event);
    return payload === undefined ? {} : { payload };
  }

  /** Returns the text that an event adds to the output: a delta, or a complete item without earlier deltas. */
  #textOf(event: JsonObject): string {
    const { type, output_index: place, delta } = event;
    if (typeof delta === 'string') {
      this.#counted.add(place);
      return delta;
    }
    if (type === 'response.output_item.added') return this.#nameOf(objectOf(event.item), place);
    if (type === 'response.output_item.done') return this.#rest(objectOf(event.item), place);
    if (!isEnd(event)) return '';
    const { output } = objectOf(event.response);
    return itemsOf(output ?? [])
      .map((item, place) => this.#rest(item, place))
      .join('');
  }

  #nameOf({ name }: JsonObject, place: unknown): string {
    if (typeof name !== 'string') return '';
    this.#named.add(place);
    return name;
  }

  #rest(item: JsonObject, place: unknown): string {
    if (this.#counted.has(place)) return '';
    this.#counted.add(place);
    return textOfItem(this.#named.has(place) ? { ...item, name: '' } : item);
  }
}
