/** `POST /v1/chat/completions`: from the request's bytes to a completion, as JSON or as server-sent events. */
import { authenticate, credentialOf, type Peppers } from '../../core/access/api-key.ts';
import { ServiceError, toServiceError } from '../../core/errors.ts';
import type { Idempotency, Keep } from '../../core/idempotency/idempotency.ts';
import { type CatalogSource, requireModel } from '../../core/inference/catalog.ts';
import type { Model } from '../../core/inference/catalog-document.ts';
import {
  choicesOf,
  controlsOf,
  maxTokensOf,
  promptSize,
  toPayload,
} from '../../core/inference/chat-request.ts';
import { chatFrames, renderChat } from '../../core/inference/chat-response.ts';
import type { Completion, CompletionCall, Completions } from '../../core/inference/completion.ts';
import { chooseRoutes } from '../../core/inference/route-choice.ts';
import { type JsonBody, readJson, validate } from '../../core/json-body.ts';
import type { KeyGate } from '../../core/ledger/key-gate.ts';
import { formatUsd } from '../../core/money.ts';
import type { After, CallContext, Endpoint, RandomSource, UlidSource } from '../../core/ports.ts';
import { type ChatCompletionRequest, chatCompletionRequest } from './schema.ts';

/**
 * A stream's status stays open for failover until its first content, but not longer than this: then the headers
 * leave and the caller sees that the call is alive.
 */
const HEADER_FLUSH_MS = 5_000;

export interface CreateChatCompletionDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly catalog: CatalogSource;
  readonly gate: KeyGate;
  readonly idempotency: Idempotency;
  readonly completions: Completions;
  readonly random: RandomSource;
  readonly ulid: UlidSource;
  readonly after: After;
  /** Writes frames, each complete with its blank line, as an event stream. */
  readonly eventStream: (
    frames: AsyncIterable<string>,
    headers: Readonly<Record<string, string>>,
  ) => Response;
  /** The error envelope of this surface. */
  readonly errorBody: (error: ServiceError, requestId: string) => Record<string, unknown>;
}

/** What is common to every way of answering one request. */
type Call = Omit<CompletionCall, 'keep'>;

export function createChatCompletion(dependencies: CreateChatCompletionDependencies): Endpoint {
  const { gate, peppers, idempotency, completions } = dependencies;
  return async (request, context) => {
    const key = authenticate(request.headers, await peppers());
    const { json, body, call } = await gate.checked(key, async () => {
      const sent = await readJson(request);
      return { json: sent, ...(await parse(dependencies, sent, context)) };
    });
    const guarded = {
      headers: request.headers,
      key,
      credential: credentialOf(request.headers),
      path: new URL(request.url).pathname,
      body: json.text,
      stream: body.stream === true,
      context,
    };
    return idempotency.guard(guarded, async (keep) => {
      const started = completions.run({ ...call, key, keep: keeping(keep) });
      return body.stream === true
        ? streamed(dependencies, started, body, context.requestId)
        : whole(await started);
    });
  };
}

async function parse(
  { catalog, ulid, random }: CreateChatCompletionDependencies,
  json: JsonBody,
  context: CallContext,
): Promise<{ readonly body: ChatCompletionRequest; readonly call: Omit<Call, 'key'> }> {
  const body = validate(chatCompletionRequest, json.value);
  const known = await catalog();
  const models = [body.model, ...(body.models ?? [])].map((name, index) =>
    requireModel(known, name, 'chat', index === 0 ? 'model' : `models[${index - 1}]`),
  );
  requireLength(body, models);
  const payload = toPayload(body);
  const call = {
    requestId: context.requestId,
    candidates: chooseRoutes(models, payload.needs, controlsOf(body), random),
    payload,
    prompt: promptSize(body),
    maxTokens: maxTokensOf(body),
    choices: choicesOf(body),
    answerId: `chatcmpl-${ulid()}`,
    render: renderChat,
    remainingTimeMs: context.remainingTimeMs,
  };
  return { body, call };
}

/** Throws 400 when more output is asked for than a model writes. */
function requireLength(body: ChatCompletionRequest, models: readonly Model[]): void {
  const param = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
  for (const { id, max_output_tokens: most } of models) {
    if (most !== undefined && maxTokensOf(body) > most) {
      throw new ServiceError('invalid_value', `${param}: ${id} writes at most ${most} tokens.`, { param });
    }
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

function keeping(keep: Keep | undefined): CompletionCall['keep'] {
  if (keep === undefined) return undefined;
  return (text, route) => keep({ body: text, headers: { ...JSON_TYPE, 'x-route': route.id } });
}

function whole(completion: Completion): Response {
  if (completion.kind !== 'json') throw new Error('a call that asked for JSON was answered with a stream');
  const { text, settlement, route, headers } = completion;
  return new Response(text, {
    headers: {
      ...JSON_TYPE,
      ...headers,
      'x-route': route.id,
      'x-cost-usd': formatUsd(settlement.record.cost),
      ...(settlement.balance === undefined ? {} : { 'x-balance-usd': formatUsd(settlement.balance) }),
    },
  });
}

/** Answers with the right status if the first content or a failure comes soon, else with headers and a heartbeat. */
async function streamed(
  { after, eventStream, errorBody }: CreateChatCompletionDependencies,
  started: Promise<Completion>,
  body: ChatCompletionRequest,
  requestId: string,
): Promise<Response> {
  let stopWaiting = () => {};
  const patience = new Promise<undefined>((resolve) => {
    stopWaiting = after(HEADER_FLUSH_MS, () => resolve(undefined));
  });
  const early = await Promise.race([started, patience]).finally(stopWaiting);
  const headers = early === undefined ? {} : { ...early.headers, 'x-route': early.route.id };
  const includeUsage = body.stream_options?.include_usage === true;
  const describe = (failure: unknown) => errorBody(toServiceError(failure), requestId);
  return eventStream(chatFrames({ started, includeUsage, describe }), headers);
}
