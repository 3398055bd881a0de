/**
 * Reads a streamed response of a server of the Responses protocol: bytes -> SSE events -> route events (OpenAI API
 * reference, Streaming events).
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { drain, objectOf, parseUpstreamEvent } from '../http-upstream.ts';
import { itemsOf, textOfItem } from '../openai-formats/items.ts';
import { ResponseFields } from '../openai-formats/response-fields.ts';
import { ResponsesEventReader } from '../openai-formats/responses-event-reader.ts';
import { failureOf } from './errors.ts';
import type { ResponsesCallContext } from './response.ts';
import { toUsage } from './usage.ts';

/** Some servers end their streams as they end those of chat completions. */
const DONE = '[DONE]';

/**
 * Converts the data of server-sent events to route events. A caller of this protocol receives the same events with the
 * service's ids and model name, any other receives stream parts. Ends normally only after `response.completed` or
 * `response.incomplete`; throws `UpstreamFailure` otherwise.
 */
export async function* readRouteEvents(
  data: AsyncIterable<string>,
  context: ResponsesCallContext,
): AsyncGenerator<RouteEvent, void> {
  const iterator = data[Symbol.asyncIterator]();
  const reader = new ResponsesStreamReader(context);
  let open = true;
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value === DONE) break;
      const event = parseUpstreamEvent(next.value);
      const routeEvent = reader.read(event);
      if (!isEnd(event)) {
        yield routeEvent;
        continue;
      }
      open = false;
      // The body's last bytes are read in the background, so that the connection can be used again.
      void drain(iterator);
      yield routeEvent;
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
class ResponsesStreamReader {
  readonly #context: ResponsesCallContext;
  readonly #fields: ResponseFields | undefined;
  readonly #eventReader: ResponsesEventReader;
  /** The places of items of which more than the name was counted. */
  readonly #countedItems = new Set<unknown>();
  /** Those of calls whose names were. */
  readonly #countedToolNames = new Set<unknown>();

  constructor(context: ResponsesCallContext) {
    const { payload, identity, signatures } = context;
    const native = payload.protocol === 'openai-responses';
    this.#context = context;
    this.#fields = native ? new ResponseFields(identity, signatures) : undefined;
    this.#eventReader = new ResponsesEventReader({ responseId: identity.id, signatures });
  }

  /** Throws `UpstreamFailure` for an error, and for an event that is not one of a response. */
  read(event: JsonObject): RouteEvent {
    const { type } = event;
    if (type === 'error') throw failureOf(event.error ?? event);
    if (type === 'response.failed' || type === 'response.cancelled')
      throw failureOf(isJsonObject(event.response) ? event.response.error : undefined);
    const text = this.#textOf(event);
    const isItem = type === 'response.output_item.added' || type === 'response.output_item.done';
    const content = text !== '' || isItem || isEnd(event);
    if (!isEnd(event)) return { ...this.#delivered(event), outputText: text, hasOutput: content };
    const { tools } = this.#context.payload.body;
    const usage = toUsage(objectOf(event.response), { native: this.#fields !== undefined, tools });
    return {
      ...this.#delivered(event),
      ...(usage === undefined ? {} : { usage }),
      outputText: text,
      hasOutput: content,
    };
  }

  #delivered(event: JsonObject): Pick<RouteEvent, 'nativeEvent' | 'parts'> {
    if (this.#fields === undefined) {
      const parts = this.#eventReader.read(event);
      return parts.length === 0 ? {} : { parts };
    }
    const payload = this.#fields.event(event);
    return payload === undefined ? {} : { nativeEvent: payload };
  }

  /** Returns the text that an event adds to the output: a delta, or a complete item without earlier deltas. */
  #textOf(event: JsonObject): string {
    const { type, output_index: outputIndex, delta } = event;
    if (typeof delta === 'string') {
      this.#countedItems.add(outputIndex);
      return delta;
    }
    if (type === 'response.output_item.added') return this.#nameOf(objectOf(event.item), outputIndex);
    if (type === 'response.output_item.done') return this.#rest(objectOf(event.item), outputIndex);
    if (!isEnd(event)) return '';
    const { output } = objectOf(event.response);
    return itemsOf(output ?? [])
      .map((item, outputIndex) => this.#rest(item, outputIndex))
      .join('');
  }

  #nameOf({ name }: JsonObject, outputIndex: unknown): string {
    if (typeof name !== 'string') return '';
    this.#countedToolNames.add(outputIndex);
    return name;
  }

  #rest(item: JsonObject, outputIndex: unknown): string {
    if (this.#countedItems.has(outputIndex)) return '';
    this.#countedItems.add(outputIndex);
    return textOfItem(this.#countedToolNames.has(outputIndex) ? { ...item, name: '' } : item);
  }
}
