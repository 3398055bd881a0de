/** Input items of a caller of this protocol, as the route takes them: what answers said under our names is put back. */
import type { Signatures } from '../../core/inference/upstream/capsules.ts';
import { isJsonObject, type JsonObject } from '../../core/json/lossless-json.ts';
import { openProof } from './proofs.ts';

/** Items whose ids are ours: the server has never seen them, and does without. */
const WITHOUT_ID = /^(message|function_call|custom_tool_call|reasoning|.*_output)$/;

export function nativeInput(input: unknown, signatures: Signatures): unknown {
  if (!Array.isArray(input)) return input;
  return input.flatMap((item) => (isJsonObject(item) ? nativeItem(item, signatures) : [item]));
}

/** An item with a proof that is not this route's is left out, as is reasoning without any. */
function nativeItem(item: JsonObject, signatures: Signatures): JsonObject[] {
  const { id: _id, encrypted_content: sealed, ...rest } = item;
  const kept = typeof item.type === 'string' && !WITHOUT_ID.test(item.type) ? item : rest;
  if (sealed == null) return item.type === 'reasoning' ? [] : [kept];
  const { id, encrypted_content: proof } = openProof(signatures, sealed) ?? {};
  if (typeof proof !== 'string') return [];
  return [{ ...rest, ...(typeof id === 'string' ? { id } : {}), encrypted_content: proof }];
}
