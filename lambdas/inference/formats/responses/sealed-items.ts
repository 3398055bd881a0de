/**
 * The output of a response, sealed for the caller to send in its next request. The service stores nothing of it. A
 * reasoning item contains itself in `encrypted_content`. A caller that relies on stored items sends ids instead. For
 * this caller, the response ends in a reasoning item without visible content, and the id of that item contains all
 * items of the response.
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { SealedTokens } from '../../core/upstream/sealed-tokens.ts';

/** The prefix of a reasoning item's id (OpenAI API reference, Reasoning). */
const PREFIX = 'rs_';

/** A larger id is not given out: bodies of requests are bounded, and every turn of a conversation repeats its ids. */
const MAX_CHARACTERS = 262_144;

/** The items as `encrypted_content`. */
export const sealItems = (sealedTokens: SealedTokens, items: readonly JsonObject[]): string =>
  sealedTokens.seal('items', JSON.stringify(items));

/** Returns the id of the item that ends a response. Undefined if it would be too long. */
export function endId(sealedTokens: SealedTokens, items: readonly JsonObject[]): string | undefined {
  const id = `${PREFIX}${sealItems(sealedTokens, items)}`;
  return id.length > MAX_CHARACTERS ? undefined : id;
}

/** The items of an `encrypted_content` or of an id; undefined for any other text. Throws 400 `invalid_capsule`. */
export function openItems(sealedTokens: SealedTokens, text: string, param: string): JsonObject[] | undefined {
  const sealedToken = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  const opened = sealedTokens.open('items', sealedToken, param);
  if (opened === undefined) return undefined;
  const items: unknown = JSON.parse(opened);
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}
