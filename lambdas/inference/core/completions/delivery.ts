/** One try of one route for a completion, its delivery, whole or as a stream, and its settlement by what was delivered. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Deliver, UnsettledCall } from '../call.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import { isPriced } from '../fields/need.ts';
import { Meter } from '../metering/meter.ts';
import { prepareJson } from '../paid-endpoint.ts';
import { settledStream } from '../settled-stream.ts';
import type { ChatPayload, Provider, RouteAttempt, RouteEvent, RouteResponse } from '../upstream/provider.ts';
import { abortable, guarded, type RouteClockOptions, startRouteClock } from '../upstream/route-clock.ts';
import type { CompletionRequest } from './completion-request.ts';
import type { ResponseWriter, StreamEncoder } from './response-writer.ts';

/** The events that arrived together. */
type EventBatch = readonly RouteEvent[];

/** A response that has started: a complete body, or a stream whose first content has arrived. */
export type StartedResponse =
  | Extract<RouteResponse, { kind: 'json' }>
  | {
      readonly kind: 'stream';
      /** The events of all batches up to and including the one with the first content. */
      readonly firstEvents: EventBatch;
      readonly remainingBatches: AsyncIterator<EventBatch>;
      /** Stops the clocks and frees the connection. `complete` states whether the stream was read to its end. */
      readonly close: (complete: boolean) => void;
    };

export interface AttemptOptions extends Omit<RouteAttempt, 'signal'>, Omit<RouteClockOptions, 'stream'> {
  readonly provider: Provider;
}

/** Runs the attempt; throws `UpstreamFailure` when it ends before its first content. */
export async function attemptRoute(options: AttemptOptions): Promise<StartedResponse> {
  const clock = startRouteClock({ ...options, stream: options.payload.stream });
  const { signal } = clock;
  try {
    const response = await abortable(options.provider.chat({ ...options, signal }), signal);
    if (response.kind === 'json') {
      clock.close(true);
      return response;
    }
    const rest = guarded(response.batches[Symbol.asyncIterator](), signal);
    const opening = await readUntilOutput(rest);
    clock.stopFirstByte();
    return {
      kind: 'stream',
      firstEvents: opening,
      remainingBatches: rest,
      close: (complete) => clock.close(complete),
    };
  } catch (failure) {
    clock.close(false);
    throw failure;
  }
}

async function readUntilOutput(batches: AsyncIterator<EventBatch>): Promise<EventBatch> {
  const opening: RouteEvent[] = [];
  for (;;) {
    const next = await batches.next();
    if (next.done) return opening;
    opening.push(...next.value);
    if (next.value.some(({ hasOutput }) => hasOutput)) return opening;
  }
}

interface DeliveryOptions {
  readonly request: CompletionRequest;
  /** Called when the route reports more tokens than the call is billed for. */
  readonly onExcess: () => void;
}

/** Prepares the delivery of a completion. Throws if a complete response cannot be stored for replay. */
export async function prepareCompletion(
  response: StartedResponse,
  paid: UnsettledCall,
  { request, onExcess }: DeliveryOptions,
): Promise<Deliver> {
  const { admission, candidate } = paid;
  const { route } = candidate;
  const { output } = admission;
  const requestHeaders = request.headersOf(output);
  const meter = new Meter({ ...request.meteringOf(candidate, output), admission, onExcess });
  const writer = request.writerOf(candidate, output);
  if (response.kind === 'stream') {
    const { encoder, events } = request.formatWriter;
    admission.recordContent?.();
    const body = settledStream<EventBatch, string>({
      call: paid,
      first: [response.firstEvents],
      rest: response.remainingBatches,
      write: (batch) => textOf(batch, { meter, writer, encoder }),
      close: response.close,
      settle: (status) => meter.settle(status),
      end: (settlement) => encoder.end(meter.usage, settlement),
    });
    const headers = { ...admission.headers, 'x-route': route.id, ...requestHeaders };
    const isCancelable = canCancel(route, request.payloadFor(candidate, output));
    const leave = isCancelable ? { leave: () => response.close(false) } : {};
    return async () => ({ headers, body, events, ...leave });
  }
  meter.add(response);
  const text = writer.body(response.completeResponse, meter.usage);
  return prepareJson(paid, { text, headers: requestHeaders }, () => meter.settle('completed'));
}

interface StreamWriters {
  readonly meter: Pick<Meter, 'add'>;
  readonly writer: Pick<ResponseWriter, 'events'>;
  readonly encoder: Pick<StreamEncoder, 'output'>;
}

/**
 * Yields the caller's text of one batch, if it has any, also before a failure. The output of an event is metered before
 * its text is made, so nothing is delivered that is not metered.
 */
function* textOf(batch: EventBatch, { meter, writer, encoder }: StreamWriters): Generator<string, void> {
  let text = '';
  try {
    for (const event of batch) {
      meter.add(event);
      for (const written of writtenEvents(event, writer))
        for (const encoded of encoder.output(written)) text += encoded;
    }
  } finally {
    if (text !== '') yield text;
  }
}

/** Yields the caller's events for one event: the route's own payload, or its parts in the format of the API. */
function* writtenEvents(
  { nativeEvent, parts = [] }: RouteEvent,
  writer: StreamWriters['writer'],
): Generator<JsonObject, void> {
  if (nativeEvent !== undefined) yield nativeEvent;
  for (const part of parts) yield* writer.events(part);
}

/** The fields by which callers request reasoning, with the names of all protocols and vendors. */
const REASONING_FIELDS = [
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
  const patterns = new Set(fields.undocumented.map(({ pattern }) => pattern));
  return (
    cancels && !thinks && !uses && REASONING_FIELDS.every((name) => body[name] == null && !patterns.has(name))
  );
}
