/**
 * Reasoning as servers of the OpenAI protocol take it back: as text (DeepSeek API docs, Thinking mode, Tool calls), as
 * thought signatures of tool calls (Gemini API docs, OpenAI compatibility), or not at all.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { AssistantPart, ToolCallPart } from '../../core/upstream/conversation.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { openSignature } from './reasoning-signatures.ts';

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
export function signedCallsOf(
  parts: readonly AssistantPart[],
  dialect: RouteDialect,
  signatures: Signatures,
): { readonly call: ToolCallPart; readonly signatureField: JsonObject }[] {
  const wants = dialect?.reasoning_return === 'thought_signature';
  let hasPrecedingCall = false;
  return parts.flatMap((part, index) => {
    if (part.type !== 'tool-call') return [];
    const before = parts[index - 1];
    const sealed = before?.type === 'reasoning' ? before.signature : undefined;
    const signatureField = wants
      ? thoughtSignature(openSignature(signatures, sealed)?.thought_signature, hasPrecedingCall)
      : {};
    hasPrecedingCall = true;
    return [{ call: part, signatureField }];
  });
}

/** Only the first call of several at once has a signature (Gemini API docs, Thought signatures, Parallel function calls). */
function thoughtSignature(openedSignature: unknown, hasPrecedingCall: boolean): JsonObject {
  const signature =
    typeof openedSignature === 'string' ? openedSignature : hasPrecedingCall ? undefined : PLACEHOLDER;
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/**
 * Converts messages of a caller of this protocol to the route's form. The reasoning in returned responses is in the
 * service's form, independent of the route that created it.
 */
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
    reasoning_details: reasoningDetails,
    tool_calls: calls,
    ...rest
  } = message;
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const text = content ?? reasoning ?? (hasCalls ? '' : undefined);
  const name = textField(dialect);
  const details = openDetails(reasoningDetails, signatures);
  return {
    ...rest,
    ...(name === undefined || text === undefined ? {} : { [name]: text }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(hasCalls ? { tool_calls: nativeCalls(calls, { reasoningDetails, dialect, signatures }) } : {}),
  };
}

/**
 * Returns only the details whose signatures this route created, unchanged (OpenRouter docs, Reasoning tokens,
 * `reasoning_details`).
 */
function openDetails(details: unknown, signatures: Signatures): JsonObject[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isJsonObject).flatMap((detail) => {
    const { index: _index, signature, data, ...otherFields } = detail;
    const { detail: openedValue, ...names } = openSignature(signatures, signature ?? data) ?? {};
    if (typeof openedValue !== 'string') return [];
    return [
      {
        ...otherFields,
        ...names,
        ...(signature == null ? { data: openedValue } : { signature: openedValue }),
      },
    ];
  });
}

interface NativeCalls {
  /** The details of the message. Those of a response in another protocol identify the call of their signature. */
  readonly reasoningDetails: unknown;
  readonly dialect: RouteDialect;
  readonly signatures: Signatures;
}

function nativeCalls(
  calls: readonly unknown[],
  { reasoningDetails, dialect, signatures }: NativeCalls,
): readonly unknown[] {
  const details = Array.isArray(reasoningDetails) ? reasoningDetails.filter(isJsonObject) : [];
  return calls.map((call, index) => {
    if (!isJsonObject(call)) return call;
    const { extra_content: extra, ...rest } = call;
    if (dialect?.reasoning_return !== 'thought_signature') return rest;
    const detail = details.find(({ id }) => id !== undefined && id === call.id);
    const sealed = signatureIn(extra) ?? detail?.data ?? detail?.signature;
    return { ...rest, ...thoughtSignature(openSignature(signatures, sealed)?.thought_signature, index > 0) };
  });
}

/** The thought signature in a call's `extra_content`. */
export function signatureIn(extra: unknown): unknown {
  const google = isJsonObject(extra) ? extra.google : undefined;
  return isJsonObject(google) ? google.thought_signature : undefined;
}
