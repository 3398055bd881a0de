/**
 * Hosts that speak OpenAI's wire format with quirks of their own, on real HTTP. They answer as the simulated OpenAI does:
 * what they refuse, how they think and the form of the answer are theirs.
 */
import {
  jsonReply,
  type SimulatedCall,
  type SimulatedEvent,
  type SimulatedReply,
  type SimulatedRoute,
} from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { replyToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { replyToResponses } from '../responses/routes.ts';
import { type AnswerChange, type ChunkEvent, withChunk } from './answer-form.ts';
import { ANSWERS, SIGNS_CALLS, UNASKED_USAGE } from './answer-quirks.ts';
import { callsOf, isJson, type Json } from './json-body.ts';
import { ANSWER_QUIRKS, type Quirk, quirksOf, STRICT_QUIRKS } from './quirks.ts';
import { refusalOf } from './refusal.ts';
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
    const refusal = rule(body);
    if (refusal !== undefined) throw refusalOf(refusal, envelope);
  }
}

const changesOf = (quirks: ReadonlySet<Quirk>): readonly AnswerChange[] => [
  ...(quirks.has('wants-thought-signature') ? [SIGNS_CALLS] : []),
  ...ANSWER_QUIRKS.filter((quirk) => quirks.has(quirk)).map((quirk) => ANSWERS[quirk]),
];

function parsed(event: SimulatedEvent): ChunkEvent {
  const chunk: unknown = event.data.startsWith('{') ? JSON.parse(event.data) : undefined;
  return isJson(chunk) ? { event, chunk } : { event };
}

/** The answer as the host gives it; the model has the name that was asked for. */
function changedAnswer(reply: SimulatedReply, request: Json, quirks: ReadonlySet<Quirk>): SimulatedReply {
  const { model } = request;
  const changes = changesOf(quirks);
  if (reply.kind === 'whole') {
    const completion: Json = { ...JSON.parse(reply.body.toString('utf8')), model };
    const changed = changes.reduce((answer, { whole }) => whole?.(answer, request) ?? answer, completion);
    return jsonReply(reply.status, changed, reply.headers);
  }
  const named = [...reply.events].map((event) => withChunk(parsed(event), (chunk) => ({ ...chunk, model })));
  const changed = changes.reduce(
    (events: readonly ChunkEvent[], { stream }) => stream?.(events, request) ?? events,
    named,
  );
  const events = changed.map(({ event, chunk }) =>
    chunk === undefined ? event : { ...event, data: JSON.stringify(chunk) },
  );
  return { ...reply, events };
}

function replyOfHost(call: SimulatedCall): SimulatedReply {
  const quirks = quirksOf(call.parameters.quirks ?? '');
  const { body } = call;
  if (!isJson(body)) return replyToChat(call);
  checkStrictly(body, quirks);
  return changedAnswer(replyToChat({ ...call, body: plainRequest(body, quirks) }), body, quirks);
}

function responseOfHost(call: SimulatedCall): SimulatedReply {
  const quirks = quirksOf(call.parameters.quirks ?? '');
  if (isJson(call.body)) checkStrictly(call.body, quirks);
  return replyToResponses(call);
}

export const hostRoutes: readonly SimulatedRoute[] = [
  {
    method: 'POST',
    path: '/hosts/{quirks}/v1/chat/completions',
    protocol: openAiProtocol,
    reply: replyOfHost,
  },
  {
    method: 'POST',
    path: '/hosts/{quirks}/v1/responses',
    protocol: responsesProtocol,
    reply: responseOfHost,
  },
];
