/**
 * The completion use case: hold, try routes until one answers, settle on what it reports. Everything that happens
 * to money or to failover in a chat call happens here.
 */
import type { VerifiedKey } from '../access/api-key.ts';
import { ServiceError } from '../errors.ts';
import type { Admission, Ledger } from '../ledger/admission.ts';
import type { Settlement } from '../ledger/settlement.ts';
import type { CallStatus, Outcome } from '../ledger/usage-record.ts';
import type { NanoUsd } from '../money.ts';
import type { After, Log } from '../ports.ts';
import { type Answer, attemptRoute } from './attempt.ts';
import type { Model, Route } from './catalog-document.ts';
import { boundPromptTokens, countPromptTokens, type PromptSize } from './estimate.ts';
import { Meter } from './meter.ts';
import { type TokenUsage, tokenCost } from './price.ts';
import {
  type ChatPayload,
  type JsonObject,
  type Provider,
  type ReplyEvent,
  UpstreamFailure,
} from './provider.ts';
import type { Candidate } from './route-choice.ts';
import { payloadFor } from './route-payload.ts';
import type { ReplyWriter, WriterOptions } from './surface.ts';

/**
 * What is left of the host's time when the upstream is cut off: enough for an error event, two rounds of database
 * calls with the SDK's retries, and the last bytes.
 */
const SETTLE_MARGIN_MS = 15_000;

/** Sent as Retry-After when no route said anything better. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

export interface CompletionDependencies {
  readonly ledger: Ledger;
  readonly providers: Readonly<Record<Route['protocol'], Provider>>;
  readonly after: After;
  readonly log: Log;
}

export interface CompletionCall {
  readonly requestId: string;
  readonly key: VerifiedKey;
  /** The routes to try, in this order; at least one. */
  readonly candidates: readonly Candidate[];
  readonly payload: ChatPayload;
  readonly prompt: PromptSize;
  /** The most output tokens the caller allows for one choice. */
  readonly maxTokens: number;
  readonly choices: number;
  /** The id of the answer, in the surface's form. */
  readonly answerId: string;
  /** Writes the answer in the surface's words. */
  readonly writer: (options: Pick<WriterOptions, 'identity' | 'promptTokens'>) => ReplyWriter;
  /** Puts a whole answer aside before the call settles; when that fails, the call fails and costs nothing. */
  readonly keep?: ((text: string, route: Route) => Promise<void>) | undefined;
  remainingTimeMs(): number;
}

/** An answer and who gave it; `headers` tell the key's limits. */
interface Served {
  readonly headers: Readonly<Record<string, string>>;
  readonly model: Model;
  readonly route: Route;
}

export type Completion =
  | (Served & { readonly kind: 'json'; readonly text: string; readonly settlement: Settlement })
  | (Served & { readonly kind: 'stream'; readonly events: AsyncGenerator<StreamEvent, void> });

/** The last event of a stream that ended well tells what it cost; by then it is settled. */
export type StreamEvent =
  | { readonly type: 'output'; readonly payload: JsonObject }
  | { readonly type: 'settled'; readonly usage: TokenUsage; readonly settlement: Settlement };

interface Answered {
  readonly candidate: Candidate;
  readonly meter: Meter;
  readonly writer: ReplyWriter;
  readonly answer: { readonly kind: 'json'; readonly text: string } | Extract<Answer, { kind: 'stream' }>;
}

export class Completions {
  readonly #dependencies: CompletionDependencies;

  constructor(dependencies: CompletionDependencies) {
    this.#dependencies = dependencies;
  }

  get providers(): CompletionDependencies['providers'] {
    return this.#dependencies.providers;
  }

  /**
   * Resolves once there is something to answer with. Throws `ServiceError`: 401, 403, 429, 402 from admission, 400
   * when a route refused the call as invalid, 503 when every candidate failed; nothing stays held in any case.
   */
  async run(call: CompletionCall): Promise<Completion> {
    const { ledger } = this.#dependencies;
    const models = [...new Set(call.candidates.map(({ model }) => model))];
    const worst: TokenUsage = {
      promptTokens: boundPromptTokens(call.prompt),
      cachedTokens: 0,
      completionTokens: call.maxTokens * call.choices,
    };
    const admission = await ledger.admit({
      requestId: call.requestId,
      key: call.key,
      scope: { kind: 'chat', models: models.map((model) => [model.id, ...model.aliases]) },
      tokens: worst.promptTokens + worst.completionTokens,
      amount: models.reduce((most, model) => max(most, tokenCost(model, worst)), 0n),
    });
    const { candidate, meter, writer, answer } = await this.#answer(call, admission);
    const served = { headers: admission.headers, ...candidate };
    if (answer.kind === 'stream') return { ...served, kind: 'stream', events: stream(answer, meter, writer) };
    return { ...served, kind: 'json', text: answer.text, settlement: await meter.settle('completed') };
  }

  /** The first answer of the first candidate that has one, ready to send; when there is none, the hold is released. */
  async #answer(call: CompletionCall, admission: Admission): Promise<Answered> {
    try {
      const [answer, candidate] = await this.#firstAnswer(call);
      const meter = new Meter(candidate, admission, call.prompt);
      const writer = call.writer({
        identity: { id: call.answerId, model: candidate.model.id },
        promptTokens: () => countPromptTokens(call.prompt),
      });
      if (answer.kind === 'stream') return { candidate, meter, writer, answer };
      meter.add(answer);
      const text = writer.whole(answer.answer, meter.usage);
      await call.keep?.(text, candidate.route);
      return { candidate, meter, writer, answer: { kind: 'json', text } };
    } catch (failure) {
      await admission.settle(failedOutcome(call)).catch((cause: unknown) => {
        this.#dependencies.log.error('release left to recovery', {
          requestId: call.requestId,
          failure: String(cause),
        });
      });
      throw failure instanceof ServiceError ? failure.withHeaders(admission.headers) : failure;
    }
  }

  async #firstAnswer(call: CompletionCall): Promise<readonly [Answer, Candidate]> {
    const { providers, after, log } = this.#dependencies;
    let retryAfterSeconds = Number.POSITIVE_INFINITY;
    for (const candidate of call.candidates) {
      const { route, model } = candidate;
      const remainingTimeMs = call.remainingTimeMs() - SETTLE_MARGIN_MS;
      if (remainingTimeMs <= 0) break;
      try {
        const identity = { id: call.answerId, model: model.id };
        const payload = payloadFor(route, call.payload);
        const provider = providers[route.protocol];
        return [
          await attemptRoute({ provider, after, route, payload, identity, remainingTimeMs }),
          candidate,
        ];
      } catch (failure) {
        if (!(failure instanceof UpstreamFailure)) throw failure;
        log.warn('route failed', { requestId: call.requestId, route: route.id, reason: failure.message });
        if (!failure.retryable) throw refusedByRoute(failure);
        retryAfterSeconds = Math.min(
          retryAfterSeconds,
          failure.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS,
        );
      }
    }
    throw new ServiceError(
      'all_routes_failed',
      'No route of this model could serve the call; try again later.',
      {
        retryAfterSeconds: Number.isFinite(retryAfterSeconds)
          ? retryAfterSeconds
          : DEFAULT_RETRY_AFTER_SECONDS,
      },
    );
  }
}

const max = (a: NanoUsd, b: NanoUsd): NanoUsd => (a > b ? a : b);

function refusedByRoute({ param }: UpstreamFailure): ServiceError {
  return new ServiceError(
    'invalid_value',
    'The route that serves this model refused the request as invalid.',
    {
      ...(param === undefined ? {} : { param }),
    },
  );
}

function failedOutcome(call: CompletionCall): Outcome {
  return {
    model: call.candidates[0]?.model.id ?? null,
    inputUnits: 0,
    cachedUnits: 0,
    outputUnits: 0,
    unit: 'token',
    cost: 0n,
    estimated: false,
    route: null,
    status: 'failed',
    tokens: 0,
  };
}

/** Delivers a stream and settles it in its own `finally`: however it ends, it is settled before anyone is told. */
async function* stream(
  answer: Extract<Answer, { kind: 'stream' }>,
  meter: Meter,
  writer: ReplyWriter,
): AsyncGenerator<StreamEvent, void> {
  let status: CallStatus = 'interrupted';
  let settlement: Settlement;
  try {
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
    throw new ServiceError(
      'all_routes_failed',
      'The route that served this call failed before its answer was complete.',
    );
  } finally {
    answer.close(status === 'completed');
    settlement = await meter.settle(status);
  }
  yield { type: 'settled', usage: meter.usage, settlement };
}

/** What the caller gets of one event: the route's own words, or the surface's words for its parts. */
function* outputs({ payload, parts }: ReplyEvent, writer: ReplyWriter): Generator<StreamEvent, void> {
  if (payload !== undefined) yield { type: 'output', payload };
  for (const part of parts ?? []) {
    for (const written of writer.part(part)) yield { type: 'output', payload: written };
  }
}
