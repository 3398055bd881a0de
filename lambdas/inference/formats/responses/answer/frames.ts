/** A response as an event stream (OpenAI API reference, Streaming events; Open Responses specification, Streaming). */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../../platform/core/money.ts';
import type { EventFormat } from '../../../../platform/core/ports.ts';
import type { StreamEvent } from '../../../core/completions/delivery.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { nativeEnding, OPENING_EVENTS, openingBody, type ResponseOptions, usageBody } from './body.ts';
import type { OutgoingItems } from './items.ts';

/** No other text of a route may stand outside the data of an event. */
const EVENT_NAME = /^[a-z0-9_.]{1,80}$/;

const ENDINGS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const OPENINGS: ReadonlySet<unknown> = new Set(OPENING_EVENTS);

const DONE = 'data: [DONE]\n\n';

/** The events of one response, under one id and numbered from 0; the last is one of its ends, whatever happens. */
export class ResponseFrames {
  readonly #options: ResponseOptions;
  readonly #outgoing: OutgoingItems;
  #number = 0;
  #opening: JsonObject | undefined;
  /** The items that are whole, as the route gave them. */
  readonly #items: JsonObject[] = [];
  /** The same as their caller got them. */
  readonly #output: JsonObject[] = [];
  #indexes = 0;

  constructor(options: ResponseOptions, outgoing: OutgoingItems) {
    this.#options = options;
    this.#outgoing = outgoing;
  }

  /** Its end waits for the settlement, whose figures and cost it carries; a failure of the events is thrown on. */
  async *frames(events: AsyncIterable<StreamEvent>): AsyncGenerator<string, void> {
    let ending: JsonObject | undefined;
    for await (const event of events) {
      if (event.type === 'output') {
        const { payload } = event;
        yield* this.#open(payload);
        if (ENDINGS.has(payload.type)) {
          ending = payload;
          yield* this.#endItem();
        } else yield* this.#frame(payload);
      } else if (ending !== undefined) {
        const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
        const { response } = ending;
        const ended = { ...this.#begun(), ...nativeEnding(isJsonObject(response) ? response : {}) };
        yield this.#numbered(ending.type, { response: { ...ended, output: this.#output, usage } });
        yield DONE;
      }
    }
  }

  readonly events: EventFormat = {
    heartbeat: ': keep-alive\n\n',
    errorEvent: (envelope) => {
      const opened =
        this.#opening === undefined ? this.#numbered('response.created', { response: this.#begun() }) : '';
      const failed = { status: 'failed', error: errorBody(envelope), output: this.#output };
      const response = { ...this.#begun(), ...failed };
      return `${opened}${this.#numbered('response.failed', { response })}${DONE}`;
    },
  };

  /** The events by which every stream begins, however its route does. */
  *#open(first: JsonObject): Generator<string> {
    if (this.#opening !== undefined) return;
    this.#opening = openingOf(first, this.#options);
    for (const type of OPENING_EVENTS) yield this.#numbered(type, { response: this.#opening });
  }

  *#frame(payload: JsonObject): Generator<string> {
    const { type, item } = payload;
    if (OPENINGS.has(type)) return;
    if (type === 'response.output_item.added' && isJsonObject(item)) {
      this.#indexes += 1;
      // What is sealed of it is known when it is whole.
      const { encrypted_content: _signature, ...begun } = item;
      yield this.#numbered(type, { ...payload, item: begun });
    } else if (type === 'response.output_item.done' && isJsonObject(item)) {
      const whole = this.#outgoing.item(item);
      this.#items.push(item);
      this.#output.push(whole);
      yield this.#numbered(type, { ...payload, item: whole });
    } else yield this.#numbered(type, payload);
  }

  *#endItem(): Generator<string> {
    const item = this.#outgoing.end(this.#items);
    if (item === undefined) return;
    this.#output.push(item);
    const place = { output_index: this.#indexes, item };
    yield this.#numbered('response.output_item.added', place);
    yield this.#numbered('response.output_item.done', place);
  }

  #begun(): JsonObject {
    return this.#opening ?? openingBody(this.#options);
  }

  #numbered(type: unknown, fields: JsonObject): string {
    if (typeof type !== 'string' || !EVENT_NAME.test(type)) throw new UpstreamFailure('protocol');
    const data = { ...fields, type, sequence_number: this.#number };
    this.#number += 1;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

/** The response as it began: the request's own fields under the name of the model that serves it. */
function openingOf({ response }: JsonObject, options: ResponseOptions): JsonObject {
  const { model } = isJsonObject(response) ? response : {};
  return openingBody(options, typeof model === 'string' ? model : undefined);
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
