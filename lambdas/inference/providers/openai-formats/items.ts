/** Converts items of a response to protocol-independent parts (OpenAI API reference, The response object, `output`). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart, Finish } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { argumentsText, type CallIds } from '../../core/upstream/tool-calls.ts';
import { plainName } from '../allowed-fields.ts';
import { finishOf } from '../ends.ts';
import { sealSignature } from './reasoning-signatures.ts';

/** The properties of a response that are needed to read its items. */
export interface ItemContext {
  readonly callIds: CallIds;
  readonly signatures: Signatures;
}

/** The most items, or tool calls, of one response: the work for each may grow with their number. */
export const MAX_ITEMS = 4_096;

/** Returns the items of a response. Throws `UpstreamFailure` for anything else, and for too many. */
export function itemsOf(output: unknown): readonly JsonObject[] {
  if (!Array.isArray(output) || !output.every(isJsonObject)) throw new UpstreamFailure('protocol');
  if (output.length > MAX_ITEMS) throw new UpstreamFailure('protocol');
  return output;
}

/**
 * Returns the content of an item; nothing for the provider's own tools. Throws `UpstreamFailure` for a call without a
 * name.
 */
export function partsOf(item: JsonObject, outputIndex: unknown, context: ItemContext): AssistantPart[] {
  switch (item.type) {
    case 'message':
      return list(item.content).flatMap(contentPart);
    case 'reasoning':
      return reasoningPart(item, context.signatures);
    case 'function_call':
      return [{ ...callOf(item, outputIndex, context), arguments: argumentsText(item.arguments) }];
    default:
      return [];
  }
}

function contentPart({ type, text, refusal }: JsonObject): AssistantPart[] {
  const isRefusal = type === 'refusal';
  const partText = string(isRefusal ? refusal : text);
  return partText === '' ? [] : [{ type: isRefusal ? 'refusal' : 'text', text: partText }];
}

function reasoningPart(item: JsonObject, signatures: Signatures): AssistantPart[] {
  const text = reasoningText(item);
  const signature = signatureOf(item, signatures);
  if (text === '' && signature === undefined) return [];
  return [{ type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }];
}

/** Between the parts of a summary. */
export const SUMMARY_BREAK = '\n\n';

/** The parts of the summary, or, where there are none, the reasoning itself. */
function reasoningText({ summary, content }: JsonObject): string {
  const textsOf = (parts: unknown) => list(parts).map(({ text }) => string(text));
  return textsOf(summary).join(SUMMARY_BREAK) || textsOf(content).join('');
}

/** Returns the signature of an item, sealed together with the item's id. */
export function signatureOf(
  { id, encrypted_content: encryptedContent }: JsonObject,
  signatures: Signatures,
): string | undefined {
  if (typeof encryptedContent !== 'string' || encryptedContent === '') return undefined;
  return sealSignature(signatures, {
    ...(typeof id === 'string' ? { id } : {}),
    encrypted_content: encryptedContent,
  });
}

/** Returns a call at its start. Throws `UpstreamFailure` for a call without a name. */
export function callOf(
  { call_id: id, name }: JsonObject,
  outputIndex: unknown,
  { callIds }: ItemContext,
): { readonly type: 'tool-call'; readonly id: string; readonly name: string } {
  if (typeof name !== 'string') throw new UpstreamFailure('protocol');
  return { type: 'tool-call', id: callIds.at(outputIndex, id), name };
}

/** Returns all output text of an item: texts, refusals, reasoning, tool names and their arguments. */
export function textOfItem(item: JsonObject): string {
  const { type, content, name, arguments: called, input, code } = item;
  if (type === 'message')
    return list(content).reduce((sum, { text, refusal }) => sum + string(text) + string(refusal), '');
  if (type === 'reasoning') return reasoningText(item);
  return string(name) + string(called) + string(input) + string(code);
}

/** The reasons of a response that is not whole. */
const INCOMPLETE: ReadonlySet<Finish['reason']> = new Set(['length', 'context', 'refusal']);

/**
 * Returns the reason for the end of a response (OpenAI API reference, `status` and `incomplete_details`). An incomplete
 * response never has a plain end. Throws `UpstreamFailure` for a failure.
 */
export function toFinish({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): Finish {
  if (status !== 'incomplete') return finishOf('completed', hasCalls);
  const named = plainName(isJsonObject(details) ? details.reason : undefined) ?? status;
  const finish = finishOf(named, hasCalls);
  return INCOMPLETE.has(finish.reason) ? finish : { ...finish, reason: 'length' };
}

const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const string = (value: unknown): string => (typeof value === 'string' ? value : '');
