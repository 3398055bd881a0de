/** The endpoint of a conversational surface: from the request's bytes to an answer, as JSON or as server-sent events. */
import type * as z from 'zod';
import { authenticate, type Peppers } from '../../access/api-key.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import type { Idempotency, Keep } from '../../idempotency/idempotency.ts';
import { readJson, validate } from '../../json/json-body.ts';
import type { KeyGate } from '../../ledger/key-gate.ts';
import type { After, CallContext, Clock, Endpoint, RandomSource, UlidSource } from '../../ports.ts';
import { type CatalogSource, requireModel } from '../catalog/catalog.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { promptBounds } from '../metering/estimate.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';
import { receiptHeaders } from '../metering/receipt.ts';
import { type Candidate, chooseRoutes } from '../routing/route-choice.ts';
import { controlsOf } from '../routing/route-controls.ts';
import type { Completion, CompletionCall, Completions } from './completion.ts';
import type { Surface, SurfaceRequest } from './surface.ts';

/**
 * A stream's status stays open for failover until its first content, but not longer than this: then the headers
 * leave and the caller sees that the call is alive.
 */
const HEADER_FLUSH_MS = 5_000;

export interface SurfaceEndpointDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly catalog: CatalogSource;
  readonly gate: KeyGate;
  readonly idempotency: Idempotency;
  readonly completions: Completions;
  readonly random: RandomSource;
  readonly ulid: UlidSource;
  readonly clock: Clock;
  readonly after: After;
  /** Writes frames, each complete with its blank line, as an event stream. */
  readonly eventStream: (
    frames: AsyncIterable<string>,
    options: { readonly headers: Readonly<Record<string, string>>; readonly heartbeat: string },
  ) => Response;
  /** The error envelope of this surface. */
  readonly errorBody: (error: ServiceError, requestId: string) => Record<string, unknown>;
}

/** What is common to every way of answering one request. */
type Call = Omit<CompletionCall, 'keep'>;

/** Throws `ServiceError` for everything that is wrong before an answer has begun. */
export function createSurfaceEndpoint<Request extends SurfaceRequest>(
  surface: Surface<Request>,
  schema: z.ZodType<Request>,
  dependencies: SurfaceEndpointDependencies,
): Endpoint {
  const { gate, peppers, idempotency, completions } = dependencies;
  return async (request, context) => {
    const key = authenticate(request.headers, await peppers());
    const { json, body, call } = await gate.checked(key, async () => {
      const sent = await readJson(request);
      const valid = validate(schema, sent.value);
      return { json: sent, body: valid, call: await toCall(surface, valid, dependencies, context) };
    });
    const guarded = {
      request,
      key,
      body: json.text,
      stream: body.stream === true,
      context,
    };
    return idempotency.guard(guarded, async (keep) => {
      const started = completions.run({ ...call, key, keep: keeping(keep) });
      if (body.stream !== true) return whole(await started);
      const describe = (failure: unknown) =>
        dependencies.errorBody(toServiceError(failure), context.requestId);
      return streamed(dependencies, started, {
        frames: surface.frames({ request: body, started, describe }),
        heartbeat: surface.heartbeat,
      });
    });
  };
}

async function toCall<Request extends SurfaceRequest>(
  surface: Surface<Request>,
  body: Request,
  { catalog, ulid, random, clock, completions }: SurfaceEndpointDependencies,
  context: CallContext,
): Promise<Omit<Call, 'key'>> {
  const known = await catalog();
  const models = [body.model, ...(body.models ?? [])].map((name, index) =>
    requireModel(known, name, 'chat', index === 0 ? 'model' : `models[${index - 1}]`),
  );
  const { tokens: maxTokens, param } = surface.maxTokens(body);
  requireLength(models, maxTokens, param);
  const payload = surface.toPayload(body);
  const prompt = promptSizeOf(payload.body);
  const promptBound = promptBounds(prompt);
  const createdMs = clock();
  const { providers } = completions;
  const able = chooseRoutes({ models, demands: payload, controls: controlsOf(body), providers, random });
  return {
    requestId: context.requestId,
    candidates: withRoom(able, promptBound),
    payload,
    prompt,
    promptBound,
    maxTokens,
    choices: surface.choices(body),
    answerId: surface.answerId(ulid()),
    writer: (options) => surface.writer({ ...options, createdMs }),
    remainingTimeMs: context.remainingTimeMs,
  };
}

/** Throws 400 when more output is asked for than a model writes. */
function requireLength(models: readonly Model[], maxTokens: number, param: string): void {
  for (const { id, max_output_tokens: most } of models) {
    if (most !== undefined && maxTokens > most) {
      throw new ServiceError('invalid_value', `${param}: ${id} writes at most ${most} tokens.`, { param });
    }
  }
}

/** The candidates whose model has room for the prompt. Throws 400 `prompt_too_long` when there are none. */
function withRoom(
  candidates: readonly Candidate[],
  promptBound: CompletionCall['promptBound'],
): readonly Candidate[] {
  const fitting = candidates.filter(({ model }) => !promptBound(model).tooLong);
  const model = candidates[0]?.model;
  if (fitting.length > 0 || model === undefined) return fitting;
  const { inSight } = promptBound(model);
  throw new ServiceError(
    'prompt_too_long',
    `The prompt is too long: it may count ${inSight} tokens, and ${model.id} takes ${model.context_window} at most.`,
    { param: 'messages' },
  );
}

const JSON_TYPE = { 'content-type': 'application/json' };

function keeping(keep: Keep | undefined): CompletionCall['keep'] {
  if (keep === undefined) return undefined;
  return (text, route) => keep({ body: text, headers: { ...JSON_TYPE, 'x-route': route.id } });
}

function whole(completion: Completion): Response {
  if (completion.kind !== 'json') throw new Error('a call that asked for JSON was answered with a stream');
  const { text, settlement, route } = completion;
  return new Response(text, {
    headers: { ...JSON_TYPE, ...receiptHeaders(completion, route, settlement) },
  });
}

/** Answers with the right status if the first content or a failure comes soon, else with headers and a heartbeat. */
async function streamed(
  { after, eventStream }: SurfaceEndpointDependencies,
  started: Promise<Completion>,
  { frames, heartbeat }: { readonly frames: AsyncIterable<string>; readonly heartbeat: string },
): Promise<Response> {
  let stopWaiting = () => {};
  const patience = new Promise<undefined>((resolve) => {
    stopWaiting = after(HEADER_FLUSH_MS, () => resolve(undefined));
  });
  const early = await Promise.race([started, patience]).finally(stopWaiting);
  const headers = early === undefined ? {} : { ...early.headers, 'x-route': early.route.id };
  return eventStream(frames, { headers, heartbeat });
}
