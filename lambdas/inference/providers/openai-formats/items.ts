/** Items of an answer in terms of no protocol (OpenAI API reference, The response object, `output`). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, Finish } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { plainName } from '../kept-fields.ts';
import { sealProof } from './proofs.ts';

/** The properties of a response that are needed to read its items. */
export interface ItemContext {
  readonly answerId: string;
  readonly signatures: Signatures;
}

/** The items of an answer. Throws `UpstreamFailure` for anything else. */
export function itemsOf(output: unknown): readonly JsonObject[] {
  if (!Array.isArray(output) || !output.every(isJsonObject)) throw new UpstreamFailure('protocol');
  return output;
}

/**
 * Returns the content of an item; nothing for the provider's own tools. Throws `UpstreamFailure` for a call without a
 * name.
 */
export function partsOf(item: JsonObject, place: unknown, context: ItemContext): AssistantPart[] {
  switch (item.type) {
    case 'message':
      return list(item.content).flatMap(contentPart);
    case 'reasoning':
      return reasoningPart(item, context.signatures);
    case 'function_call':
      return [{ ...callOf(item, place, context), arguments: string(item.arguments) }];
    default:
      return [];
  }
}

function contentPart({ type, text, refusal }: JsonObject): AssistantPart[] {
  const isRefusal = type === 'refusal';
  const said = string(isRefusal ? refusal : text);
  return said === '' ? [] : [{ type: isRefusal ? 'refusal' : 'text', text: said }];
}

function reasoningPart(item: JsonObject, signatures: Signatures): AssistantPart[] {
  const text = reasoningText(item);
  const signature = proofOf(item, signatures);
  if (text === '' && signature === undefined) return [];
  return [{ type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }];
}

/** Between the parts of a summary. */
export const SUMMARY_BREAK = '\n\n';

/** The parts of the summary, or, where there are none, the reasoning itself. */
function reasoningText({ summary, content }: JsonObject): string {
  const texts = (parts: unknown) => list(parts).map(({ text }) => string(text));
  return texts(summary).join(SUMMARY_BREAK) || texts(content).join('');
}

/** The proof of an item, sealed with the id that it is of. */
export function proofOf(
  { id, encrypted_content: proof }: JsonObject,
  signatures: Signatures,
): string | undefined {
  if (typeof proof !== 'string' || proof === '') return undefined;
  return sealProof(signatures, {
    ...(typeof id === 'string' ? { id } : {}),
    encrypted_content: proof,
  });
}

/** A call as it begins. Throws `UpstreamFailure` for one without a name. */
export function callOf(
  { call_id: id, name }: JsonObject,
  place: unknown,
  { answerId }: ItemContext,
): { readonly type: 'tool-call'; readonly id: string; readonly name: string } {
  if (typeof name !== 'string') throw new UpstreamFailure('protocol');
  return { type: 'tool-call', id: typeof id === 'string' && id !== '' ? id : `${answerId}_${place}`, name };
}

/** All output text of an item: texts, refusals, reasoning, names of tools and what they are called with. */
export function textOfItem(item: JsonObject): string {
  const { type, content, name, arguments: called, input, code } = item;
  if (type === 'message')
    return list(content).reduce((sum, { text, refusal }) => sum + string(text) + string(refusal), '');
  if (type === 'reasoning') return reasoningText(item);
  return string(name) + string(called) + string(input) + string(code);
}

const REASONS: ReadonlyMap<string, Finish['reason']> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'refusal'],
]);

/** Returns the reason for the end of a response (OpenAI API reference, `status` and `incomplete_details`). */
export function toFinish({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): Finish {
  if (status === 'incomplete') {
    const raw = plainName(isJsonObject(details) ? details.reason : undefined) ?? 'incomplete';
    return { reason: REASONS.get(raw) ?? 'stop', raw };
  }
  return { reason: hasCalls ? 'tool-calls' : 'stop', raw: 'completed' };
}

const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const string = (value: unknown): string => (typeof value === 'string' ? value : '');
