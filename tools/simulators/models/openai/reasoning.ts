/**
 * Hosts that speak OpenAI's wire format and show reasoning in ways of their own, known here by the model's name: DeepSeek
 * (its guide "Thinking Mode") and Gemini (its guides "OpenAI compatibility" and "Thought signatures").
 */

import { parsedJson } from '../../parsed-json.ts';
import { isSignatureOf, signatureOf } from '../exchange/proof.ts';
import { RequestError } from '../exchange/request-error.ts';
import type { ModelToolCall } from '../model/model.ts';
import type { ChatMessage, ChatRequest } from './chat-request.ts';
import { rejectionAs } from './protocol.ts';

type HostName = 'deepseek' | 'gemini' | undefined;

/** The host that a model belongs to; undefined for OpenAI's own, which shows no reasoning here. */
export function hostOf(model: string): HostName {
  if (model.startsWith('deepseek-')) return 'deepseek';
  return model.startsWith('gemini-') ? 'gemini' : undefined;
}

/** Returns whether a response starts with reasoning: with DeepSeek unless it is switched off, with Gemini always. */
export function thinks({ model, thinking }: ChatRequest): boolean {
  const host = hostOf(model);
  return host === 'gemini' || (host === 'deepseek' && thinking?.type !== 'disabled');
}

/** The placeholder signatures that Google documents for calls of another model. */
export const PLACEHOLDERS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/** Arguments without the differences that writing them again makes. */
const signed = (name: string, text: string): string => JSON.stringify([name, parsedJson(text) ?? text]);

export const callSignature = (model: string, { name, arguments: text }: ModelToolCall): string =>
  signatureOf(['gemini', model], signed(name, text));

/** Google's envelope, which is a list here. */
const geminiRejection = (message: string): RequestError =>
  new RequestError(message, [], { body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }] });

type Calls = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['tool_calls']>;

const callsOf = (message: ChatMessage): Calls =>
  message.role === 'assistant' ? (message.tool_calls ?? []) : [];

/** The first call of every step since the user spoke has its signature, and no signature was changed. */
function checkGemini({ model, messages }: ChatRequest): void {
  const lastUserIndex = messages.findLastIndex(({ role }) => role === 'user');
  for (const [turn, message] of messages.entries())
    for (const [index, call] of callsOf(message).entries()) {
      const { name, arguments: text } = call.function;
      const signature = call.extra_content?.google?.thought_signature;
      if (signature == null) {
        if (index > 0 || turn < lastUserIndex) continue;
        throw geminiRejection(
          'Function call is missing a thought_signature in functionCall parts. ' +
            `Additional data, function call \`default_api:${name}\`, position ${turn + 1}.`,
        );
      }
      const isOwn = isSignatureOf(['gemini', model], signed(name, text), signature);
      if (!isOwn && !PLACEHOLDERS.includes(signature)) throw geminiRejection('Corrupted thought signature.');
    }
}

/** A turn that called tools returns with its reasoning, be it empty. */
function checkDeepSeek(request: ChatRequest): void {
  const isBare = request.messages.some(
    (message) => callsOf(message).length > 0 && typeof Object(message).reasoning_content !== 'string',
  );
  if (!isBare || !thinks(request)) return;
  throw rejectionAs(
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    null,
    'invalid_request_error',
  );
}

export function checkReasoning(request: ChatRequest): void {
  const host = hostOf(request.model);
  if (host === 'gemini') checkGemini(request);
  if (host === 'deepseek') checkDeepSeek(request);
}
