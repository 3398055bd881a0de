/**
 * Hosts that speak OpenAI's wire format with quirks of their own, on real HTTP. They answer as the simulated OpenAI does:
 * what they refuse, how they think and the form of the answer are theirs.
 */
import {
  jsonResponse,
  type SimulatedCall,
  type SimulatedEvent,
  type SimulatedResponse,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { respondToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { respondToResponses } from '../responses/routes.ts';
import { type ChunkEvent, type CompletionChange, withChunk } from './answer-form.ts';
import { RESPONSES, SIGNS_CALLS, UNASKED_USAGE } from './answer-quirks.ts';
import { callsOf, isJson, type Json } from './json-body.ts';
import { type Quirk, quirksOf, RESPONSE_QUIRKS, STRICT_QUIRKS } from './quirks.ts';
import { rejectionOf } from './refusal.ts';
import { STRICT } from './strict-quirks.ts';
import { thinks } from './thinking.ts';

/** A model of this name thinks when it is asked to, and shows it (`openai/reasoning.ts`). */
const THINKING_MODEL = 'deepseek-';

/** The request as the simulated OpenAI takes it. */
function plainRequest(body: Json, quirks: ReadonlySet<Quirk>): Json {
  const isUnasked = body.stream === true && UNASKED_USAGE.some((quirk) => quirks.has(quirk));
  return {
    ...body,
    ...(typeof body.model === 'string' ? { model: `${THINKING_MODEL}${body.model}` } : {}),
    thinking: { type: thinks(body, quirks) ? 'enabled' : 'disabled' },
    ...(isUnasked ? { stream_options: { include_usage: true } } : {}),
    ...(Array.isArray(body.messages) ? { messages: body.messages.map(withThought) } : {}),
  };
}

/**
 * Adds the reasoning to a message with calls, because the model requires it. A quirk decides whether the host requires
 * it.
 */
function withThought(message: unknown): unknown {
  if (!isJson(message) || callsOf(message).length === 0) return message;
  const { reasoning_content: thought } = message;
  return { ...message, reasoning_content: typeof thought === 'string' ? thought : '' };
}

/** Throws `RequestError` for the first rule of the host that the request breaks. */
function checkStrictly(body: Json, quirks: ReadonlySet<Quirk>): void {
  for (const quirk of STRICT_QUIRKS) {
    if (!quirks.has(quirk)) continue;
    const [envelope, rule] = STRICT[quirk];
    const rejection = rule(body);
    if (rejection !== undefined) throw rejectionOf(rejection, envelope);
  }
}

const changesOf = (quirks: ReadonlySet<Quirk>): readonly CompletionChange[] => [
  ...(quirks.has('wants-thought-signature') ? [SIGNS_CALLS] : []),
  ...RESPONSE_QUIRKS.filter((quirk) => quirks.has(quirk)).map((quirk) => RESPONSES[quirk]),
];

function parsed(event: SimulatedEvent): ChunkEvent {
  const chunk: unknown = event.data.startsWith('{') ? JSON.parse(event.data) : undefined;
  return isJson(chunk) ? { event, chunk } : { event };
}

/** The answer as the host gives it; the model has the name that was asked for. */
function changeResponse(
  response: SimulatedResponse,
  request: Json,
  quirks: ReadonlySet<Quirk>,
): SimulatedResponse {
  const { model } = request;
  const changes = changesOf(quirks);
  if (response.kind === 'whole') {
    const completion: Json = { ...JSON.parse(response.body.toString('utf8')), model };
    const changed = changes.reduce(
      (body, { completion: whole }) => whole?.(body, request) ?? body,
      completion,
    );
    return jsonResponse(response.status, changed, response.headers);
  }
  const named = [...response.events].map((event) =>
    withChunk(parsed(event), (chunk) => ({ ...chunk, model })),
  );
  const changed = changes.reduce(
    (events: readonly ChunkEvent[], { stream }) => stream?.(events, request) ?? events,
    named,
  );
  const events = changed.map(({ event, chunk }) =>
    chunk === undefined ? event : { ...event, data: JSON.stringify(chunk) },
  );
  return { ...response, events };
}

function respondAsVendor(call: SimulatedCall): SimulatedResponse {
  const quirks = quirksOf(call.parameters.quirks ?? '');
  const { body } = call;
  if (!isJson(body)) return respondToChat(call);
  checkStrictly(body, quirks);
  return changeResponse(respondToChat({ ...call, body: plainRequest(body, quirks) }), body, quirks);
}

function responseOfHost(call: SimulatedCall): SimulatedResponse {
  const quirks = quirksOf(call.parameters.quirks ?? '');
  if (isJson(call.body)) checkStrictly(call.body, quirks);
  return respondToResponses(call);
}

export const hostRoutes: readonly SimulatedRoute[] = [
  {
    method: 'POST',
    path: '/hosts/{quirks}/v1/chat/completions',
    protocol: openAiProtocol,
    reply: respondAsVendor,
  },
  {
    method: 'POST',
    path: '/hosts/{quirks}/v1/responses',
    protocol: responsesProtocol,
    reply: responseOfHost,
  },
];
