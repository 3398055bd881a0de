/** One try of one route for a completion, its delivery, whole or as a stream, and its settlement by what was delivered. */

import type { Settlement } from '../../../ledger/core/settlement.ts';
import type { CallStatus } from '../../../ledger/core/usage-record.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
import type { AnsweredCall, Deliver } from '../call.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import { isPriced } from '../fields/need.ts';
import { countPromptTokens } from '../metering/estimate.ts';
import { Meter, type MeterOptions } from '../metering/meter.ts';
import type { PromptSize } from '../metering/prompt-size.ts';
import { receiptHeaders } from '../paid-endpoint.ts';
import type { TokenUsage } from '../pricing/token-usage.ts';
import {
  type AnswerIdentity,
  type ChatPayload,
  type Provider,
  type Reply,
  type ReplyEvent,
  type RouteAttempt,
  UpstreamFailure,
} from '../upstream/provider.ts';
import {
  abortable,
  guarded,
  hasLeft,
  type RouteClockOptions,
  startRouteClock,
} from '../upstream/route-clock.ts';
import type { ReplyWriter, WriterOptions } from './reply-writer.ts';

/** An answer that has begun: a whole body, or a stream whose first content is here. */
export type Answer =
  | Extract<Reply, { kind: 'json' }>
  | {
      readonly kind: 'stream';
      /** The events up to and including the first content. */
      readonly opening: readonly ReplyEvent[];
      readonly rest: AsyncIterator<ReplyEvent>;
      /** Stops the clocks and frees the connection; `complete` says whether the stream was read to its end. */
      readonly close: (complete: boolean) => void;
    };

export interface AttemptOptions extends Omit<RouteAttempt, 'signal'>, Omit<RouteClockOptions, 'stream'> {
  readonly provider: Provider;
}

/** Runs the attempt; throws `UpstreamFailure` when it ends before its first content. */
export async function attemptRoute(options: AttemptOptions): Promise<Answer> {
  const clock = startRouteClock({ ...options, stream: options.payload.stream });
  const { signal } = clock;
  try {
    const reply = await abortable(options.provider.chat({ ...options, signal }), signal);
    if (reply.kind === 'json') {
      clock.close(true);
      return reply;
    }
    const rest = guarded(reply.events[Symbol.asyncIterator](), signal);
    const opening = await untilContent(rest);
    clock.begun();
    return { kind: 'stream', opening, rest, close: (complete) => clock.close(complete) };
  } catch (failure) {
    clock.close(false);
    throw failure;
  }
}

async function untilContent(events: AsyncIterator<ReplyEvent>): Promise<ReplyEvent[]> {
  const opening: ReplyEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) return opening;
    opening.push(next.value);
    if (next.value.content) return opening;
  }
}

/** The values that an answer is metered and written with. */
export interface CompletionContext {
  readonly prompt: PromptSize;
  /** The billable items of the call. */
  readonly terms: MeterOptions['terms'];
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
  /** The bound of the output where the service chose it, in tokens; `x-max-tokens` says it. */
  readonly chosenTokens: number | undefined;
  /** Headers of the call, which a replay of its answer has too. */
  readonly headers: Readonly<Record<string, string>>;
  /** The upper bound of the tokens that the call is billed for. */
  readonly tokens: MeterOptions['bound'];
  /** Called when the route reports more than that. */
  readonly onExcess: () => void;
  /** Returns whether the stream is closed at the provider when its caller leaves. */
  readonly canCancel: boolean;
  /** The id of the answer, in the API's form, and the name of its model. */
  readonly identity: AnswerIdentity;
  /** Writes the answer in the format of the API. */
  readonly writer: (options: WriterOptions) => ReplyWriter;
  /** Writes a stream as server-sent events. */
  readonly frames: (events: AsyncIterable<StreamEvent>) => AsyncGenerator<string, void>;
  readonly events: EventFormat;
}

/** The last event of a stream that ended well has what it cost; by then it is settled. */
export type StreamEvent =
  | { readonly type: 'output'; readonly payload: JsonObject }
  | { readonly type: 'settled'; readonly usage: TokenUsage; readonly settlement: Settlement };

const JSON_TYPE = { 'content-type': 'application/json' };

/** Throws when a whole answer cannot be put aside for replay. */
export async function prepareCompletion(
  answer: Answer,
  paid: AnsweredCall,
  writing: CompletionContext,
): Promise<Deliver> {
  const { admission, candidate, keep, flush } = paid;
  const { model, route } = candidate;
  const { prompt, terms, catalog, tokens, onExcess, identity, chosenTokens } = writing;
  const bound = {
    ...writing.headers,
    ...(chosenTokens === undefined ? {} : { 'x-max-tokens': String(chosenTokens) }),
  };
  const meter = new Meter({
    candidate,
    admission,
    prompt,
    terms,
    catalog,
    bound: tokens,
    onExcess,
  });
  const writer = writing.writer({
    identity,
    promptTokens: () => countPromptTokens(prompt, model),
  });
  if (answer.kind === 'stream') {
    const events = stream({ answer, meter, writer, paid });
    const headers = { ...admission.headers, 'x-route': route.id, ...bound };
    const leave = writing.canCancel ? { leave: () => answer.close(false) } : {};
    return async () => ({ headers, chunks: writing.frames(events), events: writing.events, ...leave });
  }
  meter.add(answer);
  const text = writer.whole(answer.answer, meter.usage);
  await keep?.({ body: text, headers: { ...JSON_TYPE, 'x-route': route.id, ...bound } });
  return async () => {
    const [settlement] = await Promise.all([meter.settle('completed'), flush()]);
    const receipt = receiptHeaders(admission, route, settlement);
    return new Response(text, { headers: { ...JSON_TYPE, ...receipt, ...bound } });
  };
}

interface StreamDelivery {
  readonly answer: Extract<Answer, { kind: 'stream' }>;
  readonly meter: Meter;
  readonly writer: ReplyWriter;
  readonly paid: AnsweredCall;
}

/** Settles in its own `finally`: however the stream ends, it is settled before its reader learns of it. */
async function* stream({ answer, meter, writer, paid }: StreamDelivery): AsyncGenerator<StreamEvent, void> {
  let status: CallStatus = 'interrupted';
  let settlement: Settlement;
  try {
    paid.admission.observe?.('content');
    for (const event of answer.opening) {
      meter.add(event);
      yield* outputs(event, writer);
    }
    for (let next = await answer.rest.next(); !next.done; next = await answer.rest.next()) {
      meter.add(next.value);
      yield* outputs(next.value, writer);
    }
    status = 'completed';
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) throw failure;
    if (hasLeft(failure)) return;
    paid.broke(failure);
    throw new ServiceError(
      'all_routes_failed',
      'The route that served this call failed before its answer was complete.',
    );
  } finally {
    answer.close(status === 'completed');
    [settlement] = await Promise.all([meter.settle(status), paid.flush()]);
  }
  yield { type: 'settled', usage: meter.usage, settlement };
}

/** Yields the caller's output for one event: the route's own payload, or its parts in the format of the API. */
function* outputs({ payload, parts }: ReplyEvent, writer: ReplyWriter): Generator<StreamEvent, void> {
  if (payload !== undefined) yield { type: 'output', payload };
  for (const part of parts ?? []) {
    for (const written of writer.part(part)) yield { type: 'output', payload: written };
  }
}

/** The fields by which callers ask a model to think, under the names of all protocols and hosts. */
const ASKING = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'output_config',
  'enable_thinking',
  'chat_template_kwargs',
  'prompt_mode',
];

export function canCancel(
  { cancels, reasoning, dialect = {} }: Pick<CatalogRoute, 'cancels' | 'reasoning' | 'dialect'>,
  { body, fields }: Pick<ChatPayload, 'body' | 'fields'>,
): boolean {
  const thinks = reasoning || Object.keys(dialect).some((name) => name.startsWith('reasoning_'));
  // What a provider's own tools have done is counted at the end.
  const uses = fields.needs.some(isPriced) || fields.undocumented.some(({ needs }) => needs.length > 0);
  const asked = new Set(fields.undocumented.map(({ pattern }) => pattern));
  return cancels && !thinks && !uses && ASKING.every((name) => body[name] == null && !asked.has(name));
}
