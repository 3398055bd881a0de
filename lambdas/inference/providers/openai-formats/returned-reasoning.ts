/**
 * Reasoning as servers of the OpenAI protocol take it back: as text (DeepSeek API docs, Thinking mode, Tool calls), as
 * thought signatures of tool calls (Gemini API docs, OpenAI compatibility), or not at all.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, ToolCallPart } from '../../core/upstream/conversation.ts';
import { openProof } from './proofs.ts';

export type RouteDialect = CatalogRoute['dialect'];

/** Stands for the signature of a call that Gemini did not make (Gemini API docs, Thought signatures, FAQs). */
const PLACEHOLDER = 'skip_thought_signature_validator';

/** The name under which the route takes the text of reasoning back, if it does. */
function textField(dialect: RouteDialect): 'reasoning_content' | 'reasoning' | undefined {
  const name = dialect?.reasoning_return;
  return name === 'thought_signature' ? undefined : name;
}

/** The field of an assistant message that holds its reasoning, where the route wants it back: with tool calls, also an empty one. */
export function reasoningText(parts: readonly AssistantPart[], dialect: RouteDialect): JsonObject {
  const name = textField(dialect);
  if (name === undefined) return {};
  const texts = parts.flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? part.text : []));
  const hasCalls = parts.some(({ type }) => type === 'tool-call');
  return texts.length === 0 && !hasCalls ? {} : { [name]: texts.join('\n\n') };
}

/** The tool calls of an assistant message, each with the field that holds its thought signature, where the route wants them. */
export function provenCalls(
  parts: readonly AssistantPart[],
  dialect: RouteDialect,
  signatures: Signatures,
): { readonly call: ToolCallPart; readonly proof: JsonObject }[] {
  const wants = dialect?.reasoning_return === 'thought_signature';
  let proven = false;
  return parts.flatMap((part, index) => {
    if (part.type !== 'tool-call') return [];
    const before = parts[index - 1];
    const sealed = before?.type === 'reasoning' ? before.signature : undefined;
    const proof = wants ? thoughtSignature(openProof(signatures, sealed)?.thought_signature, proven) : {};
    proven = true;
    return [{ call: part, proof }];
  });
}

/** Only the first call of several at once has a signature (Gemini API docs, Thought signatures, Parallel function calls). */
function thoughtSignature(own: unknown, proven: boolean): JsonObject {
  const signature = typeof own === 'string' ? own : proven ? undefined : PLACEHOLDER;
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** Messages of a caller of this protocol as the route takes them: what answers of any route said of reasoning is the service's own. */
export function nativeMessages(messages: unknown, dialect: RouteDialect, signatures: Signatures): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message) =>
    isJsonObject(message) && message.role === 'assistant'
      ? nativeMessage(message, dialect, signatures)
      : message,
  );
}

function nativeMessage(message: JsonObject, dialect: RouteDialect, signatures: Signatures): JsonObject {
  const {
    reasoning,
    reasoning_content: content,
    reasoning_details: sent,
    tool_calls: calls,
    ...rest
  } = message;
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const text = content ?? reasoning ?? (hasCalls ? '' : undefined);
  const name = textField(dialect);
  const details = openDetails(sent, signatures);
  return {
    ...rest,
    ...(name === undefined || text === undefined ? {} : { [name]: text }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls === undefined
      ? {}
      : { tool_calls: hasCalls ? nativeCalls(calls, { sent, dialect, signatures }) : calls }),
  };
}

/** Details whose proofs this route gave, as it gave them (OpenRouter docs, Reasoning tokens, `reasoning_details`); no others. */
function openDetails(details: unknown, signatures: Signatures): JsonObject[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isJsonObject).flatMap((detail) => {
    const { index: _place, signature, data, ...said } = detail;
    const { detail: own, ...names } = openProof(signatures, signature ?? data) ?? {};
    if (typeof own !== 'string') return [];
    return [{ ...said, ...names, ...(signature == null ? { data: own } : { signature: own }) }];
  });
}

interface NativeCalls {
  /** The details of the message: those of an answer in another protocol name the call that they prove. */
  readonly sent: unknown;
  readonly dialect: RouteDialect;
  readonly signatures: Signatures;
}

function nativeCalls(
  calls: readonly unknown[],
  { sent, dialect, signatures }: NativeCalls,
): readonly unknown[] {
  const details = Array.isArray(sent) ? sent.filter(isJsonObject) : [];
  return calls.map((call, index) => {
    if (!isJsonObject(call)) return call;
    const { extra_content: extra, ...rest } = call;
    if (dialect?.reasoning_return !== 'thought_signature') return rest;
    const detail = details.find(({ id }) => id !== undefined && id === call.id);
    const sealed = signatureIn(extra) ?? detail?.data ?? detail?.signature;
    return { ...rest, ...thoughtSignature(openProof(signatures, sealed)?.thought_signature, index > 0) };
  });
}

/** The thought signature in a call's `extra_content`. */
export function signatureIn(extra: unknown): unknown {
  const google = isJsonObject(extra) ? extra.google : undefined;
  return isJsonObject(google) ? google.thought_signature : undefined;
}
