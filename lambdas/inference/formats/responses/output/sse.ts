/** A response as an event stream (OpenAI API reference, Streaming events; Open Responses specification, Streaming). */
import type { Settlement } from '../../../../ledger/core/call.ts';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../../platform/core/money.ts';
import type { EventFormat } from '../../../../platform/core/ports.ts';
import type { StreamEncoder } from '../../../core/completions/response-writer.ts';
import type { TokenUsage } from '../../../core/pricing/token-usage.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { nativeEnding, OPENING_EVENTS, openingBody, type ResponseOptions, usageBody } from './body.ts';
import type { OutputItemSealer } from './items.ts';

/** No other text of a route may stand outside the data of an event. */
const EVENT_NAME = /^[a-z0-9_.]{1,80}$/;

const ENDINGS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const OPENINGS: ReadonlySet<unknown> = new Set(OPENING_EVENTS);

const DONE = 'data: [DONE]\n\n';

/** The events of one response, under one id and numbered from 0; the last is one of its ends, whatever happens. */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #options: ResponseOptions;
  readonly #outgoing: OutputItemSealer;
  #number = 0;
  #opening: JsonObject | undefined;
  /** The items that are whole, as the route gave them. */
  readonly #items: JsonObject[] = [];
  /** The same as their caller got them. */
  readonly #output: JsonObject[] = [];
  #indexes = 0;
  #ending: JsonObject | undefined;

  constructor(options: ResponseOptions, outgoing: OutputItemSealer) {
    this.#options = options;
    this.#outgoing = outgoing;
  }

  /** Yields one text at a time: a failure drops no event that has a number. */
  *output(event: JsonObject): Generator<string> {
    yield* this.#open(event);
    if (ENDINGS.has(event.type)) {
      this.#ending = event;
      yield* this.#endItem();
    } else yield* this.#encodeOutputEvent(event);
  }

  /** Returns the last event, which waits for the settlement, because it contains the usage and the cost. */
  end(tokenUsage: TokenUsage, { record }: Settlement): string {
    if (this.#ending === undefined) return '';
    const usage = { ...usageBody(tokenUsage), cost: usdJson(record.cost) };
    const { type, response } = this.#ending;
    const finalBody = { ...this.#openingBody(), ...nativeEnding(isJsonObject(response) ? response : {}) };
    return `${this.#encodeEvent(type, { response: { ...finalBody, output: this.#output, usage } })}${DONE}`;
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
