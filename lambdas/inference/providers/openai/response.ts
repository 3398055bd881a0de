/** A whole answer of an OpenAI-compatible server (OpenAI API reference, The chat completion object). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, AssistantReply } from '../../core/upstream/conversation.ts';
import { type Reply, type RouteAttempt, UpstreamFailure } from '../../core/upstream/provider.ts';
import { legalToolCallId } from '../../core/upstream/tool-calls.ts';
import { objectOf } from '../http-upstream.ts';
import { CallNumbers } from '../openai-formats/call-numbers.ts';
import { plainContent, requireGoodEnd, withFinishName } from '../openai-formats/chat-form.ts';
import { CompletionFields } from '../openai-formats/completion-fields.ts';
import { answeredMessage, mayBeReasoning } from '../openai-formats/json-answer.ts';
import { sealProof } from '../openai-formats/proofs.ts';
import { signatureIn } from '../openai-formats/returned-reasoning.ts';
import { MAX_TOOL_CALL_ID, reasoningOf, textOf, toFinish } from './content.ts';
import { UsageReader } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export type OpenAiCallContext = Pick<RouteAttempt, 'payload' | 'identity' | 'signatures'> & {
  readonly route: Pick<CatalogRoute, 'dialect'>;
};

/**
 * The answer: under our own id and model name for a caller of this protocol, else as a reply of no protocol. Throws
 * `UpstreamFailure` when it is not a chat completion.
 */
export function toReply(
  body: unknown,
  { route, payload, identity, signatures }: OpenAiCallContext,
): Extract<Reply, { kind: 'json' }> {
  const given = objectOf(body);
  const isInReasoning = mayBeReasoning(route, payload);
  const choices = Array.isArray(given.choices)
    ? given.choices.map((choice) => plainChoice(choice, isInReasoning))
    : given.choices;
  const completion: JsonObject = { ...given, choices };
  const { error } = completion;
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isChoice) || isError(error))
    throw new UpstreamFailure('protocol');
  const native = payload.protocol === 'openai';
  return {
    kind: 'json',
    answer: native
      ? {
          body: new CompletionFields(identity, signatures).whole(
            wellFormed(choices, completion, identity.id),
          ),
        }
      : { reply: toAssistantReply(choices[0] as Choice, { answerId: identity.id, signatures }) },
    text: choices.map((choice) => textOf(choice.message)).join(''),
    usage: new UsageReader(native).read(completion),
  };
}

/** Throws `UpstreamFailure` for a choice that says that it failed. */
function plainChoice(choice: unknown, isInReasoning: boolean): unknown {
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return choice;
  requireGoodEnd(choice.finish_reason);
  const message = plainContent(choice.message);
  return { ...choice, message: isInReasoning ? answeredMessage(message, reasoningOf) : message };
}

/** The completion with an id for every tool call, and ends that callers know. */
function wellFormed(choices: readonly Choice[], completion: JsonObject, answerId: string): JsonObject {
  const named = choices.map((choice) => {
    const { tool_calls: sent } = choice.message;
    const hasCalls = Array.isArray(sent) && sent.length > 0;
    const end = choice.finish_reason == null || choice.finish_reason === '' ? { finish_reason: 'stop' } : {};
    const ended = withFinishName({ ...choice, ...end }, hasCalls);
    if (!hasCalls) return ended;
    const numbers = new CallNumbers(answerId);
    const calls = sent.map((call, place) => {
      if (!isJsonObject(call)) return call;
      const { index: _number, ...numbered } = numbers.read({ ...call, index: place });
      return 'index' in call ? { index: call.index, ...numbered } : numbered;
    });
    return { ...ended, message: { ...choice.message, tool_calls: calls } };
  });
  return { ...completion, choices: named };
}

interface Choice {
  readonly message: JsonObject;
  readonly finish_reason?: unknown;
  readonly stop_reason?: unknown;
}

/** A choice that failed is no answer, whatever it contains: some servers report it with status 200. */
function isChoice(choice: unknown): choice is Choice {
  if (!isJsonObject(choice) || isError(choice.error)) return false;
  return isJsonObject(choice.message);
}

/** An error within an answer; null means no error. */
export const isError = (error: unknown): boolean => error !== undefined && error !== null;

function toAssistantReply(choice: Choice, { answerId, signatures }: ReplyContext): AssistantReply {
  const { content, refusal, tool_calls: sent } = choice.message;
  const calls = Array.isArray(sent) ? sent : [];
  const parts: AssistantPart[] = [];
  const thought = reasoningOf(choice.message);
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  if (typeof content === 'string' && content !== '') parts.push({ type: 'text', text: content });
  if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const [index, call] of calls.entries())
    parts.push(...callProof(call, signatures), toToolCall(call, `${answerId}_${index}`));
  return { parts, finish: toFinish(choice, calls.length > 0) };
}

interface ReplyContext {
  readonly answerId: string;
  readonly signatures: Signatures;
}

function callProof(call: unknown, signatures: Signatures): AssistantPart[] {
  const signature = sealedSignature(isJsonObject(call) ? call.extra_content : undefined, signatures);
  return signature === undefined ? [] : [{ type: 'reasoning', text: '', signature }];
}

/** The thought signature in a call's `extra_content`, sealed. */
export function sealedSignature(extra: unknown, signatures: Signatures): string | undefined {
  const given = signatureIn(extra);
  return typeof given === 'string' && given !== ''
    ? sealProof(signatures, { thought_signature: given })
    : undefined;
}

/** `fallbackId` stands in for servers that give their calls none. */
function toToolCall(call: unknown, fallbackId: string): AssistantPart {
  const { id, function: called } = (call ?? {}) as {
    id?: unknown;
    function?: { name?: unknown; arguments?: unknown } | null;
  };
  if (typeof called?.name !== 'string') throw new UpstreamFailure('protocol');
  const text = called.arguments;
  return {
    type: 'tool-call',
    id: typeof id === 'string' && id !== '' ? legalToolCallId(id, MAX_TOOL_CALL_ID) : fallbackId,
    name: called.name,
    // Some compatible servers send the object itself.
    arguments: typeof text === 'string' ? text : JSON.stringify(text ?? {}),
  };
}
