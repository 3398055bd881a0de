/**
 * Hosts that speak OpenAI's wire format with quirks of their own, on real HTTP. They answer as the simulated OpenAI does:
 * what they refuse, how they think and the form of the answer are theirs.
 */
import type { Call, Reply, Route } from '../exchange/reply.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { replyToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { replyToResponses } from '../responses/routes.ts';
import { changedAnswer } from './answer-changes.ts';
import { callsOf, isJson, type Json } from './json-body.ts';
import { type Quirk, quirksOf } from './quirks.ts';
import { checkStrictly } from './strictness.ts';
import { thinks } from './thinking.ts';
import { UNASKED_USAGE } from './usage-changes.ts';

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

/** That model wants its reasoning back; whether the host does is a quirk. */
function withThought(message: unknown): unknown {
  if (!isJson(message) || callsOf(message).length === 0) return message;
  const { reasoning_content: thought } = message;
  return { ...message, reasoning_content: typeof thought === 'string' ? thought : '' };
}

function replyOfHost(call: Call): Reply {
  const quirks = quirksOf(call.parameters.quirks ?? '');
  const { body } = call;
  if (!isJson(body)) return replyToChat(call);
  checkStrictly(body, quirks);
  return changedAnswer(replyToChat({ ...call, body: plainRequest(body, quirks) }), { quirks, request: body });
}

function responseOfHost(call: Call): Reply {
  const quirks = quirksOf(call.parameters.quirks ?? '');
  if (isJson(call.body)) checkStrictly(call.body, quirks);
  return replyToResponses(call);
}

export const hostRoutes: readonly Route[] = [
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
