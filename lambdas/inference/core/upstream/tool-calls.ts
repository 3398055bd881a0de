/** Tool calls between protocols: ids for those that take fewer than the caller's own, and arguments as an object. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject, isTooDeep, parseJson } from '../../../platform/core/json/lossless-json.ts';

const LEGAL = /^[a-zA-Z0-9_-]+$/;

const PREFIX = 'call_';

/**
 * The id as a protocol takes it that allows letters, digits, `_` and `-`, at most `maxLength` of them (16 or more): a
 * legal id as it is, any other as a digest. Equal ids stay equal, and different ones stay different.
 */
export function legalToolCallId(id: string, maxLength: number): string {
  if (id.length <= maxLength && LEGAL.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('base64url');
  return `${PREFIX}${digest}`.slice(0, maxLength);
}

const NINE_CHARACTERS = /^[a-zA-Z0-9]{9}$/;

/** The id in nine letters and digits (Mistral docs, Function calling): one of that form as it is, any other as a digest. */
export function nineCharacterId(id: string): string {
  if (NINE_CHARACTERS.test(id)) return id;
  const digest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`);
  return digest.toString(36).padStart(9, '0').slice(-9);
}

/**
 * The ids of one conversation, asked for in its order: legal, and each call's own even where a caller numbers every
 * turn anew. A result has the id of the first call under its own id that has no result yet.
 */
export class ToolCallIds {
  readonly #maxLength: number;
  readonly #seen = new Map<string, { called: number; answered: number }>();

  /** `maxLength`: of an id, 16 or more. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  ofCall(id: string): string {
    const seen = this.#seen.get(id) ?? { called: 0, answered: 0 };
    this.#seen.set(id, seen);
    seen.called += 1;
    return this.#legal(id, seen.called - 1);
  }

  ofResult(id: string): string {
    const seen = this.#seen.get(id);
    if (seen === undefined || seen.answered === seen.called) return this.#legal(id, 0);
    seen.answered += 1;
    return this.#legal(id, seen.answered - 1);
  }

  #legal(id: string, earlier: number): string {
    return legalToolCallId(earlier === 0 ? id : `${id}\0${earlier}`, this.#maxLength);
  }
}

/**
 * A call's arguments for protocols that take objects only: none are an empty one, and what a model wrote in any other
 * form, or deeper than JSON can be written again, is kept as text in one. `parse` may throw.
 */
export function toolInput(text: string, parse: (json: string) => unknown = parseJson): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value = parse(text);
    if (isJsonObject(value) && !isTooDeep(value)) return value;
  } catch {
    // Kept as text below.
  }
  return { arguments: text };
}
