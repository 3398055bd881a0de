/** A complete response of an OpenAI-compatible server (OpenAI API reference, The chat completion object). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { AssistantOutput, AssistantPart } from '../../core/upstream/conversation.ts';
import { type RouteAttempt, type RouteResponse, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { argumentsText, legalToolCallId } from '../../core/upstream/tool-calls.ts';
import { finishOf } from '../ends.ts';
import { objectOf } from '../http-upstream.ts';
import { plainContent, withFinishName } from '../openai-formats/chunk-normalizer.ts';
import { CompletionFields } from '../openai-formats/completion-fields.ts';
import { mayBeReasoning, withReasoningAsContent } from '../openai-formats/json-output.ts';
import { sealSignature } from '../openai-formats/reasoning-signatures.ts';
import { signatureIn } from '../openai-formats/returned-reasoning.ts';
import { ToolCallIndexer } from '../openai-formats/tool-call-indexer.ts';
import { MAX_TOOL_CALL_ID, reasoningOf, textOf, toFinish } from './content.ts';
import { UsageReader } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export type OpenAiCallContext = Pick<RouteAttempt, 'payload' | 'identity' | 'signatures'> & {
  readonly route: Pick<CatalogRoute, 'dialect'>;
};

/**
 * Returns the response. For a caller of this protocol, it has the service's id and model name. Otherwise it is
 * protocol-independent. Throws `UpstreamFailure` if the body is not a chat completion.
 */
export function toRouteResponse(
  body: unknown,
  { route, payload, identity, signatures }: OpenAiCallContext,
): Extract<RouteResponse, { kind: 'json' }> {
  const response = objectOf(body);
  const isInReasoning = mayBeReasoning(route, payload);
  const choices = Array.isArray(response.choices)
    ? response.choices.map((choice) => plainChoice(choice, isInReasoning, identity.id))
    : response.choices;
  const completion: JsonObject = { ...response, choices };
  const { error } = completion;
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isChoice) || isError(error))
    throw new UpstreamFailure('protocol');
  const native = payload.protocol === 'openai';
  return {
    kind: 'json',
    completeResponse: native
      ? {
          body: new CompletionFields(identity, signatures).completion(wellFormed(choices, completion)),
        }
      : { output: toAssistantOutput(choices[0] as Choice, signatures) },
    outputText: choices.map((choice) => textOf(choice.message)).join(''),
    usage: new UsageReader(native).read(completion),
  };
}

/** Returns the normalized choice. Throws `UpstreamFailure` for a choice that reports a failure. */
function plainChoice(choice: unknown, isInReasoning: boolean, responseId: string): unknown {
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return choice;
  finishOf(choice.finish_reason, false);
  const message = withCalls(plainContent(choice.message), responseId);
  return { ...choice, message: isInReasoning ? withReasoningAsContent(message, reasoningOf) : message };
}

/** Returns the message with complete calls, each with a unique id, or without the empty list that some servers send. */
function withCalls(message: JsonObject, responseId: string): JsonObject {
  const { tool_calls: calls, function_call: older, ...rest } = message;
  const called = isJsonObject(older) ? { function_call: completeFunction(older) } : {};
  if (calls != null && !Array.isArray(calls)) return message;
  if (calls == null || calls.length === 0) return { ...rest, ...called };
  const indexer = new ToolCallIndexer(responseId);
  const toolCalls = calls.map((call, place) => {
    if (!isJsonObject(call)) return call;
    const { index: _place, function: named, ...fields } = indexer.read({ ...call, index: place });
    return {
      ...('index' in call ? { index: call.index } : {}),
      ...fields,
      ...(isJsonObject(named) ? { function: completeFunction(named) } : {}),
    };
  });
  return { ...rest, ...called, tool_calls: toolCalls };
}

const completeFunction = (called: JsonObject): JsonObject => ({
  ...called,
  arguments: argumentsText(called.arguments),
});

/** Returns the completion with finish reasons that callers support. */
function wellFormed(choices: readonly Choice[], completion: JsonObject): JsonObject {
  const named = choices.map((choice) => {
    const { tool_calls: toolCalls, function_call: older } = choice.message;
    const defaultFinish =
      choice.finish_reason == null || choice.finish_reason === '' ? { finish_reason: 'stop' } : {};
    return withFinishName({ ...choice, ...defaultFinish }, toolCalls !== undefined || older !== undefined);
  });
  return { ...completion, choices: named };
}

interface Choice {
  readonly message: JsonObject;
  readonly finish_reason?: unknown;
  readonly stop_reason?: unknown;
}

/**
 * Returns whether the value is a valid choice. A choice that failed is not valid for any content, because some servers
 * report a failure with status 200.
 */
function isChoice(choice: unknown): choice is Choice {
  if (!isJsonObject(choice) || isError(choice.error)) return false;
  return isJsonObject(choice.message);
}

/** Returns whether a response contains an error. Null means no error. */
export const isError = (error: unknown): boolean => error !== undefined && error !== null;

function toAssistantOutput(choice: Choice, signatures: Signatures): AssistantOutput {
  const { content, refusal, tool_calls: toolCalls } = choice.message;
  const calls = Array.isArray(toolCalls) ? toolCalls : [];
  const parts: AssistantPart[] = [];
  const thought = reasoningOf(choice.message);
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  if (typeof content === 'string' && content !== '') parts.push({ type: 'text', text: content });
  if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const call of calls) parts.push(...signaturePartsOf(call, signatures), toToolCall(call));
  return { parts, finish: toFinish(choice, calls.length > 0) };
}

function signaturePartsOf(call: unknown, signatures: Signatures): AssistantPart[] {
  const signature = sealedSignature(isJsonObject(call) ? call.extra_content : undefined, signatures);
  return signature === undefined ? [] : [{ type: 'reasoning', text: '', signature }];
}

/** The thought signature in a call's `extra_content`, sealed. */
export function sealedSignature(extra: unknown, signatures: Signatures): string | undefined {
  const thoughtSignature = signatureIn(extra);
  return typeof thoughtSignature === 'string' && thoughtSignature !== ''
    ? sealSignature(signatures, { thought_signature: thoughtSignature })
    : undefined;
}

/** Throws `UpstreamFailure` for a call without a name. */
function toToolCall(call: unknown): AssistantPart {
  const { id, function: called } = Object(call) as { readonly id?: unknown; readonly function?: JsonObject };
  if (typeof id !== 'string' || typeof called?.name !== 'string') throw new UpstreamFailure('protocol');
  return {
    type: 'tool-call',
    id: legalToolCallId(id, MAX_TOOL_CALL_ID),
    name: called.name,
    arguments: String(called.arguments),
  };
}
