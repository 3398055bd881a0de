/**
 * Hosts that speak OpenAI's wire format with quirks of their own, on real HTTP. They answer as the simulated OpenAI does:
 * what they refuse, how they think and the form of the answer are theirs.
 */
import { jsonResponse, postRoute, type SimulatedCall, type SimulatedEvent } from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { respondToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { respondToResponses } from '../responses/routes.ts';
import { dataOf, type Part } from './answer-quirks.ts';
import { callsOf, isJson, type Json } from './json.ts';
import { quirksOf } from './quirks.ts';

/** A model of this name thinks when it is asked to, and shows it (`openai/reasoning.ts`). */
const THINKING_MODEL = 'deepseek-';

type Quirks = ReturnType<typeof quirksOf>;

/** The quirks of a host, after their checks. Throws `RequestError` for the first rule that the request breaks. */
function checkedQuirks({ parameters, body }: SimulatedCall): Quirks {
  const quirks = quirksOf(parameters.quirks ?? '');
  if (isJson(body)) for (const { check } of quirks) check?.(body);
  return quirks;
}

function plainRequest(body: Json, quirks: Quirks): Json {
  const isOn = quirks.map(({ thinks }) => thinks?.(body)).find((result) => result !== undefined);
  const isUnasked = body.stream === true && quirks.some(({ counts }) => counts);
  return {
    ...body,
    ...(typeof body.model === 'string' ? { model: `${THINKING_MODEL}${body.model}` } : {}),
    thinking: { type: isOn === true ? 'enabled' : 'disabled' },
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

/** The answer as the host gives it; the model has the name that was asked for. */
function changeResponse(response: ReturnType<typeof respondToChat>, request: Json, quirks: Quirks) {
  const { model } = request;
  const partOf = (event: SimulatedEvent): Part =>
    event.data.startsWith('{') ? { event, chunk: { ...JSON.parse(event.data), model } } : { event };
  const events: Iterable<SimulatedEvent> =
    response.kind === 'stream' ? response.events : [{ data: response.body.toString('utf8'), part: 'end' }];
  const parts = quirks.reduce(
    (changed: readonly Part[], { change }) => change?.(changed, request) ?? changed,
    Array.from(events, partOf),
  );
  if (response.kind === 'whole') return jsonResponse(response.status, parts[0]?.chunk, response.headers);
  return { ...response, events: parts.map((part) => ({ ...part.event, data: dataOf(part) })) };
}

function respondAsHost(call: SimulatedCall) {
  const quirks = checkedQuirks(call);
  const { body } = call;
  if (!isJson(body)) return respondToChat(call);
  return changeResponse(respondToChat({ ...call, body: plainRequest(body, quirks) }), body, quirks);
}

function respondInResponses(call: SimulatedCall) {
  checkedQuirks(call);
  return respondToResponses(call);
}

const HOST = '/hosts/{quirks}/v1';

export const hostRoutes = [
  postRoute(openAiProtocol, `${HOST}/chat/completions`, respondAsHost),
  postRoute(responsesProtocol, `${HOST}/responses`, respondInResponses),
];
