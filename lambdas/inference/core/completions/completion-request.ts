/**
 * A request for a completion in any API format, from its validated body to the response: what the call costs at most,
 * what each route receives, and how the response is metered and written.
 */
import { ignoredFieldsHeader } from '../../../platform/core/api/ignored-fields.ts';
import type { Clock, RandomSource } from '../../../platform/core/ports.ts';
import type { Candidate, Model } from '../catalog/catalog-document.ts';
import type { MeterOptions } from '../metering/meter.ts';
import { type OutputBound, outputBound } from '../metering/output-bound.ts';
import { type ChatQuote, type Quote, quoteChat } from '../quote.ts';
import type { RouteChance } from '../routing/affinity.ts';
import { NO_CONTROLS } from '../routing/route-controls.ts';
import { losesEffort, type Providers } from '../routing/route-support.ts';
import { withSentBreakpoints } from '../upstream/cache-breakpoints.ts';
import type { ChatPayload, ResponseIdentity, RouteAttempt } from '../upstream/provider.ts';
import { type SealedTokens, signaturesOf } from '../upstream/sealed-tokens.ts';
import type { ApiFormat, CallerHeaders, CompletionBody } from './api-format.ts';
import { payloadFor, unservedTools } from './forwarded-fields.ts';
import { responseBytes } from './response-bytes.ts';
import type { FormatWriter, ResponseWriter } from './response-writer.ts';

export interface ValidRequest<Body> {
  readonly requestId: string;
  readonly body: Body;
  /** The requested model and its fallbacks. Contains at least one. */
  readonly models: readonly Model[];
  /** The version of the catalog that they are from. */
  readonly catalog: string;
  readonly sealedTokens: SealedTokens;
  readonly headers?: CallerHeaders;
  /** Decides between equal routes; when absent, chance does. */
  readonly chance?: RouteChance;
}

export interface RequestDependencies {
  readonly providers: Providers;
  readonly random: RandomSource;
  readonly clock: Clock;
}

type Headers = Readonly<Record<string, string>>;

export class CompletionRequest<Body extends CompletionBody = CompletionBody> {
  /** Headers of every response: the fields and tools that some candidate does not receive. */
  readonly headers: Headers;
  /** Writes the response in the API format. */
  readonly formatWriter: FormatWriter;
  readonly #valid: ValidRequest<Body>;
  readonly #limit: OutputBound;
  /** The body of the caller within the output limit, without the tools that no route serves, as routes receive it. */
  readonly #payload: ChatPayload;
  readonly #quote: ChatQuote;
  readonly #responseId: string;

  /** Throws 400 when no model takes so much prompt, or writes so much. */
  constructor(format: ApiFormat<Body>, valid: ValidRequest<Body>, dependencies: RequestDependencies) {
    const { requestId, models, catalog, sealedTokens, headers } = valid;
    const { providers, clock } = dependencies;
    this.#valid = valid;
    this.#limit = outputBound(models, format.maxTokens(valid.body));
    const { tokens, isChosen } = this.#limit;
    const body = tokens !== undefined && isChosen ? format.withMaxTokens(valid.body, tokens) : valid.body;
    const unserved = unservedTools(format, body, { models, providers });
    const served = unserved.size === 0 ? body : format.withoutTools?.(body, unserved);
    this.#payload = format.toPayload(served ?? body, sealedTokens, headers);
    this.#quote = this.#quoteFor(format.choices(body), dependencies);
    const tools = [...unserved].map((index) => `tools[${index}]`);
    this.headers = ignoredFieldsHeader(new Set([...tools, ...this.#quote.ignored]));
    this.#responseId = format.responseId(requestId.replace('req_', ''));
    const ids = { responseId: this.#responseId, createdMs: clock(), catalog };
    this.formatWriter = format.createWriter({ request: body, ...ids, clock, sealedTokens });
  }

  #quoteFor(choices: number, { providers, random }: RequestDependencies): ChatQuote {
    const { models, body, chance = random } = this.#valid;
    const call = { payload: this.#payload, providers, request: body };
    const output = { choices, tokens: this.#limit.tokens };
    return quoteChat({ models, controls: body.provider ?? NO_CONTROLS, chance, call }, output);
  }

  get quote(): Quote {
    return this.#quote.quote;
  }

  get isStreamed(): boolean {
    return this.#payload.stream;
  }

  /** Returns what the route of a candidate receives if the call is admitted with that output. */
  payloadFor(candidate: Candidate, output: number): ChatPayload {
    const payload = this.#payload.limitedTo?.(output) ?? this.#payload;
    return payloadFor(candidate.route, withSentBreakpoints(candidate, payload));
  }

  attemptOn(candidate: Candidate, output: number): Omit<RouteAttempt, 'signal'> {
    const { route } = candidate;
    const { bound } = this.#quote.priceOn(route, output);
    return {
      route,
      payload: this.payloadFor(candidate, output),
      identity: this.#identityOn(candidate),
      signatures: signaturesOf(this.#valid.sealedTokens, route.id),
      maxBytes: responseBytes(this.#payload, bound.completion),
    };
  }

  /** Returns what the response of a candidate is metered by. */
  meteringOf(candidate: Candidate, output: number): Omit<MeterOptions, 'admission' | 'onExcess'> {
    const { prompt, priceOn } = this.#quote;
    return { candidate, prompt, catalog: this.#valid.catalog, ...priceOn(candidate.route, output) };
  }

  /** Returns the headers of a response with that output: `x-max-tokens` too if the service chose the limit. */
  headersOf(output: number): Headers {
    return this.#limit.isChosen ? { ...this.headers, 'x-max-tokens': String(output) } : this.headers;
  }

  writerOf(candidate: Candidate, output: number): ResponseWriter {
    return this.formatWriter.writer({
      identity: this.#identityOn(candidate),
      promptTokens: () => this.#quote.prompt.probable(candidate.model),
      losesEffort: () => losesEffort(candidate.route, this.payloadFor(candidate, output)),
    });
  }

  /** Returns the id of the response, and the name by which the caller requested the model, an alias included. */
  #identityOn({ model }: Candidate): ResponseIdentity {
    const { body, models } = this.#valid;
    const names = [body.model, ...(body.models ?? [])];
    return { id: this.#responseId, model: names[models.indexOf(model)] ?? model.id };
  }
}
