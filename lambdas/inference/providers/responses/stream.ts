/**
 * Reads a streamed response of a server of the Responses protocol: bytes -> SSE events -> route events (OpenAI API
 * reference, Streaming events).
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type RouteEvent, UpstreamFailure } from '../../core/upstream/provider.ts';
import { CallIds } from '../../core/upstream/tool-calls.ts';
import type { EventReader } from '../event-batches.ts';
import { objectOf, parseUpstreamEvent } from '../http-upstream.ts';
import { textOfItem } from '../openai-formats/items.ts';
import { ResponseFields } from '../openai-formats/response-fields.ts';
import { ResponsesEventNormalizer } from '../openai-formats/responses-event-normalizer.ts';
import { ResponsesEventReader } from '../openai-formats/responses-event-reader.ts';
import { failureOf } from './errors.ts';
import { FAILED, type ResponsesCallContext, requireGoodEnd } from './response.ts';
import { toUsage } from './usage.ts';

/** Some servers end their streams as they end those of chat completions. */
const DONE = '[DONE]';

const INCOMPLETE = 'response.incomplete';

const isEnd = ({ type }: JsonObject): boolean => type === 'response.completed' || type === INCOMPLETE;

/** Returns the event with the status that its name says, unless its response failed: some servers have it there alone. */
function withStatus(event: JsonObject): JsonObject {
  const response = objectOf(event.response);
  return FAILED.has(response.status) ? event : { ...event, response: { ...response, status: 'incomplete' } };
}

/**
 * Converts the data of server-sent events to route events. A caller of this protocol receives the same events with the
 * service's ids and model name, any other receives stream parts. The response ends with `response.completed` or
 * `response.incomplete`.
 */
export class ResponsesStreamReader implements EventReader {
  readonly #context: ResponsesCallContext;
  readonly #fields: ResponseFields | undefined;
  readonly #normalizer = new ResponsesEventNormalizer();
  readonly #eventReader: ResponsesEventReader;
  /** The places of items of which more than the name was counted. */
  readonly #countedItems = new Set<unknown>();
  /** Those of calls whose names were. */
  readonly #countedToolNames = new Set<unknown>();
  #isComplete = false;

  constructor(context: ResponsesCallContext) {
    const { payload, identity, signatures } = context;
    const native = payload.protocol === 'openai-responses';
    this.#context = context;
    this.#fields = native ? new ResponseFields(identity, signatures) : undefined;
    this.#eventReader = new ResponsesEventReader({ callIds: new CallIds(identity.id), signatures });
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  *read(data: string): Generator<RouteEvent, void> {
    if (data === DONE) throw new UpstreamFailure('interrupted');
    for (const event of this.#normalizer.read(parseUpstreamEvent(data))) {
      yield this.#routeEventOf(event);
      this.#isComplete = isEnd(event);
    }
  }

  end(): readonly RouteEvent[] {
    if (!this.#isComplete) throw new UpstreamFailure('interrupted');
    return [];
  }

  /** Throws `UpstreamFailure` for an error, and for an event that is not one of a response. */
  #routeEventOf(received: JsonObject): RouteEvent {
    const event = received.type === INCOMPLETE ? withStatus(received) : received;
    const { type } = event;
    if (type === 'error') throw failureOf(event.error ?? event);
    if (type === 'response.failed' || type === 'response.cancelled')
      throw failureOf(isJsonObject(event.response) ? event.response.error : undefined);
    if (isEnd(event)) requireGoodEnd(objectOf(event.response));
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
    return '';
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
