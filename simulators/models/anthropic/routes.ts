/** The routes of the Messages wire format (Claude API reference, "Create a Message" and "Count tokens in a Message"). */
import type { z } from 'zod';
import { type Call, jsonReply, modelInBody, type Reply, type Route } from '../exchange/reply.ts';
import { answer } from '../model/answer.ts';
import { promptTokens } from '../model/prompt-tokens.ts';
import { identifierFrom } from '../model/random.ts';
import { type MessageFrame, messageDocument } from './answer-document.ts';
import { messageEvents } from './answer-stream.ts';
import { type ApiVersion, anthropicProtocol, errorReply, versionOf } from './protocol.ts';
import { type AnyRequest, type MessagesRequest, REQUEST_SCHEMAS } from './request.ts';
import { brokenRule } from './request-rules.ts';
import { toModelRequest } from './to-model-request.ts';
import { validationError } from './validation-error.ts';

const MESSAGE_ID_LENGTH = 22;

/** The request, or what is wrong with it. Calls without a version were refused before. */
function validated<Request extends AnyRequest>(
  call: Call,
  schemaOf: (version: ApiVersion) => z.ZodType<Request>,
): Request | string {
  const version = versionOf(call);
  if (version === undefined) return 'anthropic-version: header is required';
  if (call.body === undefined) return 'The request body is not valid JSON.';
  const parsed = schemaOf(version).safeParse(call.body);
  if (!parsed.success) return validationError(parsed.error, call.body);
  return brokenRule(parsed.data, version) ?? parsed.data;
}

function replyToMessages(call: Call): Reply {
  const request = validated<MessagesRequest>(call, (version) => REQUEST_SCHEMAS[version].messages);
  if (typeof request === 'string') return errorReply(400, request, call);
  const { fault, sequence } = call;
  const { choices, usage } = answer(toModelRequest(request, fault));
  const [choice] = choices;
  if (choice === undefined) throw new Error('the model gave no choice');
  const { thinking } = request;
  const frame: MessageFrame = {
    id: `msg_01${identifierFrom(`message ${sequence}`, MESSAGE_ID_LENGTH)}`,
    model: request.model,
    withUsage: fault.no_usage !== true,
    hidesThought: thinking !== undefined && thinking.type !== 'disabled' && thinking.display === 'omitted',
  };
  if (request.stream !== true) return jsonReply(200, messageDocument(choice, usage, frame));
  const interleave = fault.interleave_tool_calls === true;
  return { kind: 'stream', events: messageEvents(choice, usage, frame, interleave) };
}

function replyToCount(call: Call): Reply {
  const request = validated<AnyRequest>(call, (version) => REQUEST_SCHEMAS[version].count);
  if (typeof request === 'string') return errorReply(400, request, call);
  return jsonReply(200, { input_tokens: promptTokens(toModelRequest(request, {})) });
}

const route = { method: 'POST', protocol: anthropicProtocol, modelOf: modelInBody };

export const anthropicRoutes: readonly Route[] = [
  { ...route, path: '/v1/messages', reply: replyToMessages },
  { ...route, path: '/v1/messages/count_tokens', reply: replyToCount },
];
