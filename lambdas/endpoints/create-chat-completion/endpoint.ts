/** `POST /v1/chat/completions`: from the request's bytes to a completion, as JSON or as server-sent events. */
import { authenticate, type Peppers, type VerifiedKey } from '../../core/access/api-key.ts';
import { ServiceError, toServiceError } from '../../core/errors.ts';
import { type CatalogSource, requireModel } from '../../core/inference/catalog.ts';
import {
  choicesOf,
  controlsOf,
  maxTokensOf,
  promptSize,
  toPayload,
} from '../../core/inference/chat-request.ts';
import type { Completion, CompletionCall, Completions } from '../../core/inference/completion.ts';
import type { TokenUsage } from '../../core/inference/price.ts';
import { chooseRoutes } from '../../core/inference/route-choice.ts';
import { readJson, validate } from '../../core/json-body.ts';
import { jsonResponse } from '../../core/json-response.ts';
import type { KeyGate } from '../../core/ledger/key-gate.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { formatUsd, usdJson } from '../../core/money.ts';
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

export function createChatCompletion(dependencies: CreateChatCompletionDependencies): Endpoint {
  const { gate, peppers, completions } = dependencies;
  return async (request, context) => {
    const key = authenticate(request.headers, await peppers());
    const { body, call } = await gate.checked(key, () => parse(dependencies, request, key, context));
    if (body.stream === true) return streamed(dependencies, completions.run(call), body, context.requestId);
    return whole(await completions.run(call));
  };
}

async function parse(
  { catalog, ulid, random }: CreateChatCompletionDependencies,
  request: Request,
  key: VerifiedKey,
  context: CallContext,
): Promise<{ readonly body: ChatCompletionRequest; readonly call: CompletionCall }> {
  const body = validate(chatCompletionRequest, await readJson(request));
  const known = await catalog();
  const maxTokens = maxTokensOf(body);
  const models = [body.model, ...(body.models ?? [])].map((name, index) =>
    requireModel(known, name, 'chat', index === 0 ? 'model' : `models[${index - 1}]`),
  );
  for (const { id, max_output_tokens: most } of models) {
    if (most !== undefined && maxTokens > most) {
      const param = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
      throw new ServiceError('invalid_value', `${param}: ${id} writes at most ${most} tokens.`, { param });
    }
  }
  const payload = toPayload(body);
  const call: CompletionCall = {
    requestId: context.requestId,
    key,
    candidates: chooseRoutes(models, payload.needs, controlsOf(body), random),
    payload,
    prompt: promptSize(body),
    maxTokens,
    choices: choicesOf(body),
    answerId: `chatcmpl-${ulid()}`,
    remainingTimeMs: context.remainingTimeMs,
  };
  return { body, call };
}

function whole(completion: Completion): Response {
  if (completion.kind !== 'json') throw new Error('a call that asked for JSON was answered with a stream');
  const { body, usage, settlement, route, headers } = completion;
  return jsonResponse(
    { ...body, usage: usageBody(usage) },
    {
      ...headers,
      'x-route': route.id,
      'x-cost-usd': formatUsd(settlement.record.cost),
      ...(settlement.balance === undefined ? {} : { 'x-balance-usd': formatUsd(settlement.balance) }),
    },
  );
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
  return eventStream(frames({ started, includeUsage, describe }), headers);
}

interface FrameOptions {
  readonly started: Promise<Completion>;
  readonly includeUsage: boolean;
  readonly describe: (failure: unknown) => Record<string, unknown>;
}

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

/** Chunks, then usage if asked for, then `[DONE]`; a failure is one error event and no `[DONE]`. */
async function* frames({ started, includeUsage, describe }: FrameOptions): AsyncGenerator<string, void> {
  try {
    const completion = await started;
    if (completion.kind !== 'stream')
      throw new Error('a call that asked for a stream was answered with JSON');
    let last: Readonly<Record<string, unknown>> = {};
    for await (const event of completion.events) {
      if (event.type === 'output') {
        last = event.payload;
        yield frame(includeUsage ? { ...event.payload, usage: null } : event.payload);
      } else if (includeUsage) {
        yield frame({
          ...last,
          choices: [],
          usage: { ...usageBody(event.usage), ...costOf(event.settlement) },
        });
      }
    }
    yield 'data: [DONE]\n\n';
  } catch (failure) {
    yield frame(describe(failure));
  }
}

/** The interface's Usage, with what else the route reported. */
function usageBody({
  promptTokens,
  completionTokens,
  cachedTokens,
  reported,
}: TokenUsage): Record<string, unknown> {
  const details = reported?.prompt_tokens_details as object | undefined;
  return {
    ...reported,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { ...details, cached_tokens: cachedTokens },
  };
}

const costOf = ({ record }: Settlement) => ({ cost: usdJson(record.cost) });
