/** The routes of Bedrock Runtime (its API reference, "Converse", "ConverseStream" and "InvokeModel"; user guide, "Chat Completions API"). */
import {
  type Call,
  jsonReply,
  modelInBody,
  type Question,
  type Reply,
  type Route,
  type WholeReply,
} from '../exchange/reply.ts';
import { answer } from '../model/answer.ts';
import type { ModelChoice, ModelUsage } from '../model/model-answer.ts';
import { replyToChat } from '../openai/routes.ts';
import { type ConverseFrame, converseDocument } from './answer-document.ts';
import { converseEvents } from './answer-stream.ts';
import { replyToInvoke } from './invoke.ts';
import { bedrockOpenAiProtocol, bedrockProtocol, errorReply } from './protocol.ts';
import { converseRequestSchema } from './request.ts';
import { brokenRule } from './request-rules.ts';
import { toModelRequest } from './to-model-request.ts';
import { validationError } from './validation-error.ts';

const modelInPath = ({ parameters }: Question): string | undefined => parameters.modelId;

interface Answered {
  readonly choice: ModelChoice;
  readonly usage: ModelUsage;
  readonly frame: ConverseFrame;
}

/** Asks the model, or refuses the request. */
function answerTo(call: Call): Answered | WholeReply {
  const { body, fault } = call;
  const startedAtMs = Date.now();
  if (body === undefined)
    return errorReply(400, {
      type: 'SerializationException',
      message: 'The request body is not valid JSON.',
    });
  const parsed = converseRequestSchema.safeParse(body);
  if (!parsed.success) return errorReply(400, validationError(parsed.error, body));
  const request = parsed.data;
  const modelId = modelInPath(call) ?? '';
  const broken = brokenRule(request, modelId);
  if (broken !== undefined) return errorReply(400, { type: 'ValidationException', message: broken });
  const { choices, usage } = answer(toModelRequest(request, modelId, fault));
  const [choice] = choices;
  if (choice === undefined) throw new Error('the model gave no choice');
  const fieldPaths = request.additionalModelResponseFieldPaths ?? [];
  return { choice, usage, frame: { startedAtMs, withUsage: fault.no_usage !== true, fieldPaths } };
}

function replyToConverse(call: Call): Reply {
  const answered = answerTo(call);
  if ('kind' in answered) return answered;
  return jsonReply(200, converseDocument(answered.choice, answered.usage, answered.frame));
}

function replyToConverseStream(call: Call): Reply {
  const answered = answerTo(call);
  if ('kind' in answered) return answered;
  const interleave = call.fault.interleave_tool_calls === true;
  const { choice, usage, frame } = answered;
  return { kind: 'stream', events: converseEvents(choice, usage, frame, interleave) };
}

const ofModel = { method: 'POST', protocol: bedrockProtocol, modelOf: modelInPath };

export const bedrockRoutes: readonly Route[] = [
  { ...ofModel, path: '/model/{modelId}/converse', reply: replyToConverse },
  { ...ofModel, path: '/model/{modelId}/converse-stream', reply: replyToConverseStream },
  { ...ofModel, path: '/model/{modelId}/invoke', reply: replyToInvoke },
  {
    method: 'POST',
    path: '/openai/v1/chat/completions',
    protocol: bedrockOpenAiProtocol,
    modelOf: modelInBody,
    reply: replyToChat,
  },
];
