/** The completion use case: a paid call whose answer is metered by tokens, whole or as a stream. */
import type { VerifiedKey } from '../../access/api-key.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/lossless-json.ts';
import type { Ledger } from '../../ledger/admission.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { CallStatus } from '../../ledger/usage-record.ts';
import type { After, Log } from '../../ports.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { type TokenUsage, tokenCost } from '../catalog/price.ts';
import type { Breaker } from '../circuit/breaker.ts';
import { countPromptTokens, type PromptBound } from '../metering/estimate.ts';
import { Meter } from '../metering/meter.ts';
import type { PromptSize } from '../metering/prompt-size.ts';
import { type Paid, runPaidCall } from '../paid-call.ts';
import type { Candidate } from '../routing/route-choice.ts';
import { type ChatPayload, type Provider, type ReplyEvent, UpstreamFailure } from '../upstream/provider.ts';
import { type Answer, attemptRoute } from './attempt.ts';
import type { ReplyWriter, WriterOptions } from './reply-writer.ts';
import { payloadFor } from './route-payload.ts';

export interface CompletionDependencies {
  readonly ledger: Ledger;
  readonly providers: Readonly<Record<Route['protocol'], Provider>>;
  readonly breaker: Breaker;
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
  /** How many tokens the prompt may count on a model. */
  readonly promptBound: (model: Model) => PromptBound;
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

/** An answer that is ready to send. */
interface Prepared {
  readonly meter: Meter;
  readonly writer: ReplyWriter;
  readonly answer: { readonly kind: 'json'; readonly text: string } | StreamAnswer;
}

type StreamAnswer = Extract<Answer, { kind: 'stream' }>;

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
    const { breaker, log } = this.#dependencies;
    const completionTokens = call.maxTokens * call.choices;
    const costOf = (model: Model, promptTokens: number) =>
      tokenCost(model, { promptTokens, cachedTokens: 0, completionTokens });
    const { candidate, admission, served, prepared } = await runPaidCall(this.#dependencies, {
      ...call,
      kind: 'chat',
      tokens:
        completionTokens + Math.max(...call.candidates.map(({ model }) => call.promptBound(model).tokens)),
      costBound: (model) => {
        const { tokens, most } = call.promptBound(model);
        return { amount: costOf(model, tokens), ceiling: costOf(model, most) };
      },
      attempt: (tried, remainingTimeMs) => this.#attempt(call, tried, remainingTimeMs),
      prepare: (answer, paid) => prepare(call, answer, paid, log),
    });
    const { meter, writer, answer } = prepared;
    const completion = { headers: admission.headers, ...candidate };
    if (answer.kind === 'stream') {
      const broke = (failure: UpstreamFailure) => breaker.broke(failure, served);
      const events = stream({ answer, meter, writer, broke, flush: () => breaker.flush() });
      return { ...completion, kind: 'stream', events };
    }
    const [settlement] = await Promise.all([meter.settle('completed'), breaker.flush()]);
    return { ...completion, kind: 'json', text: answer.text, settlement };
  }

  #attempt(call: CompletionCall, { model, route }: Candidate, remainingTimeMs: number): Promise<Answer> {
    const { providers, after } = this.#dependencies;
    return attemptRoute({
      provider: providers[route.protocol],
      after,
      route,
      payload: payloadFor(route, call.payload),
      identity: { id: call.answerId, model: model.id },
      remainingTimeMs,
    });
  }
}

async function prepare(
  call: CompletionCall,
  answer: Answer,
  { candidate, admission }: Paid,
  log: Log,
): Promise<Prepared> {
  const { requestId } = call;
  const meter = new Meter({
    candidate,
    admission,
    prompt: call.prompt,
    most: {
      promptTokens: call.promptBound(candidate.model).most,
      completionTokens: call.maxTokens * call.choices,
    },
    onImpossible: () =>
      log.warn('a route counted more than is possible', { requestId, route: candidate.route.id }),
  });
  const writer = call.writer({
    identity: { id: call.answerId, model: candidate.model.id },
    promptTokens: () => countPromptTokens(call.prompt),
  });
  if (answer.kind === 'stream') return { meter, writer, answer };
  meter.add(answer);
  const text = writer.whole(answer.answer, meter.usage);
  await call.keep?.(text, candidate.route);
  return { meter, writer, answer: { kind: 'json', text } };
}

/** Delivers a stream and settles it in its own `finally`: however it ends, it is settled before anyone is told. */
async function* stream({
  answer,
  meter,
  writer,
  broke,
  flush,
}: Prepared & {
  readonly answer: StreamAnswer;
  readonly broke: (failure: UpstreamFailure) => void;
  readonly flush: () => Promise<void>;
}): AsyncGenerator<StreamEvent, void> {
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
    broke(failure);
    throw new ServiceError(
      'all_routes_failed',
      'The route that served this call failed before its answer was complete.',
    );
  } finally {
    answer.close(status === 'completed');
    [settlement] = await Promise.all([meter.settle(status), flush()]);
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
