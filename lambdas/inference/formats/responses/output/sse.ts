/** A response as an event stream (OpenAI API reference, Streaming events; Open Responses specification, Streaming). */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../../platform/core/money.ts';
import type { EventFormat } from '../../../../platform/core/ports.ts';
import type { CallStreamEvent } from '../../../core/completions/response-writer.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { nativeEnding, OPENING_EVENTS, openingBody, type ResponseOptions, usageBody } from './body.ts';
import type { OutputItemSealer } from './items.ts';

/** No other text of a route may stand outside the data of an event. */
const EVENT_NAME = /^[a-z0-9_.]{1,80}$/;

const ENDINGS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const OPENINGS: ReadonlySet<unknown> = new Set(OPENING_EVENTS);

const DONE = 'data: [DONE]\n\n';

/** The events of one response, under one id and numbered from 0; the last is one of its ends, whatever happens. */
export class ResponsesStreamEncoder {
  readonly #options: ResponseOptions;
  readonly #outgoing: OutputItemSealer;
  #number = 0;
  #opening: JsonObject | undefined;
  /** The items that are whole, as the route gave them. */
  readonly #items: JsonObject[] = [];
  /** The same as their caller got them. */
  readonly #output: JsonObject[] = [];
  #indexes = 0;

  constructor(options: ResponseOptions, outgoing: OutputItemSealer) {
    this.#options = options;
    this.#outgoing = outgoing;
  }

  /**
   * Yields the encoded stream. Its last event waits for the settlement, because it contains the usage and the cost. A
   * failure of the events is rethrown.
   */
  async *encode(events: AsyncIterable<CallStreamEvent>): AsyncGenerator<string, void> {
    let ending: JsonObject | undefined;
    for await (const event of events) {
      if (event.type === 'output') {
        const { event: payload } = event;
        yield* this.#open(payload);
        if (ENDINGS.has(payload.type)) {
          ending = payload;
          yield* this.#endItem();
        } else yield* this.#encodeOutputEvent(payload);
      } else if (ending !== undefined) {
        const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
        const { response } = ending;
        const finalBody = { ...this.#openingBody(), ...nativeEnding(isJsonObject(response) ? response : {}) };
        yield this.#encodeEvent(ending.type, { response: { ...finalBody, output: this.#output, usage } });
        yield DONE;
      }
    }
  }

  readonly events: EventFormat = {
    heartbeat: ': keep-alive\n\n',
    errorEvent: (envelope) => {
      const opened =
        this.#opening === undefined
          ? this.#encodeEvent('response.created', { response: this.#openingBody() })
          : '';
      const failed = { status: 'failed', error: errorBody(envelope), output: this.#output };
      const response = { ...this.#openingBody(), ...failed };
      return `${opened}${this.#encodeEvent('response.failed', { response })}${DONE}`;
    },
  };

  /** Yields the first events of every stream, independent of the route's first events. */
  *#open(first: JsonObject): Generator<string> {
    if (this.#opening !== undefined) return;
    this.#opening = openingBody(this.#options, isJsonObject(first.response) ? first.response : {});
    for (const type of OPENING_EVENTS) yield this.#encodeEvent(type, { response: this.#opening });
  }

  *#encodeOutputEvent(payload: JsonObject): Generator<string> {
    const { type, item } = payload;
    if (OPENINGS.has(type)) return;
    if (type === 'response.output_item.added' && isJsonObject(item)) {
      this.#indexes += 1;
      // Its sealed content is available only when the item is complete.
      const { encrypted_content: _signature, ...startedItem } = item;
      yield this.#encodeEvent(type, { ...payload, item: startedItem });
    } else if (type === 'response.output_item.done' && isJsonObject(item)) {
      const sealedItem = this.#outgoing.seal(item);
      this.#items.push(item);
      this.#output.push(sealedItem);
      yield this.#encodeEvent(type, { ...payload, item: sealedItem });
    } else yield this.#encodeEvent(type, payload);
  }

  *#endItem(): Generator<string> {
    const item = this.#outgoing.endItem(this.#items);
    if (item === undefined) return;
    this.#output.push(item);
    const itemFields = { output_index: this.#indexes, item };
    yield this.#encodeEvent('response.output_item.added', itemFields);
    yield this.#encodeEvent('response.output_item.done', itemFields);
  }

  #openingBody(): JsonObject {
    return this.#opening ?? openingBody(this.#options);
  }

  #encodeEvent(type: unknown, fields: JsonObject): string {
    if (typeof type !== 'string' || !EVENT_NAME.test(type)) throw new UpstreamFailure('protocol');
    const data = { ...fields, type, sequence_number: this.#number };
    this.#number += 1;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

/** OpenAI API reference, The response object, `error.code`. */
const CODES: Readonly<Record<string, string>> = {
  rate_limit_error: 'rate_limit_exceeded',
  invalid_request_error: 'invalid_prompt',
};

function errorBody({ error }: JsonObject): JsonObject {
  const { type, message } = isJsonObject(error) ? error : {};
  return { code: CODES[String(type)] ?? 'server_error', message: typeof message === 'string' ? message : '' };
}
