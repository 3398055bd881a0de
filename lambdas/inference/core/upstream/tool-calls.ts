/** Tool calls between protocols: ids that are unique and legal, and arguments as text or as an object. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isJsonObject, isTooDeep, parseJson } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from './provider.ts';

const LEGAL = /^[a-zA-Z0-9_-]+$/;

const PREFIX = 'call_';

/**
 * Returns an id that is legal in a protocol with letters, digits, `_` and `-`, and at most `maxLength` characters (16
 * or more). A legal id stays unchanged, any other becomes a digest. Equal ids stay equal, and different ids stay
 * different.
 */
export function legalToolCallId(id: string, maxLength: number): string {
  if (id.length <= maxLength && LEGAL.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('base64url');
  return `${PREFIX}${digest}`.slice(0, maxLength);
}

const NINE_CHARACTERS = /^[a-zA-Z0-9]{9}$/;

/**
 * Returns an id of nine letters and digits (Mistral docs, Function calling). An id of that form stays unchanged, any
 * other becomes a digest.
 */
export function nineCharacterId(id: string): string {
  if (NINE_CHARACTERS.test(id)) return id;
  const digest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`);
  return digest.toString(36).padStart(9, '0').slice(-9);
}

/**
 * The legal ids of one conversation, requested in its order. Each call has a unique id, even if a caller reuses ids in
 * every turn. A result has the id of the first call with the same original id that has no result yet.
 */
export class ToolCallIds {
  readonly #maxLength: number;
  readonly #counts = new Map<string, { callCount: number; resultCount: number }>();

  /** `maxLength`: of an id, 16 or more. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  ofCall(id: string): string {
    const counts = this.#counts.get(id) ?? { callCount: 0, resultCount: 0 };
    this.#counts.set(id, counts);
    counts.callCount += 1;
    return this.#legal(id, counts.callCount - 1);
  }

  ofResult(id: string): string {
    const counts = this.#counts.get(id);
    if (counts === undefined || counts.resultCount === counts.callCount) return this.#legal(id, 0);
    counts.resultCount += 1;
    return this.#legal(id, counts.resultCount - 1);
  }

  #legal(id: string, earlier: number): string {
    return legalToolCallId(earlier === 0 ? id : `${id}\0${earlier}`, this.#maxLength);
  }
}

/** The ids of the calls of one response. Vendors reject the next turn if two calls have one id. */
export class CallIds {
  readonly #prefix: string;
  /** The ids by the place of their call, which may arrive several times. */
  readonly #ids = new Map<unknown, string>();
  readonly #used = new Set<string>();

  /** `prefix`: of the ids that this class creates. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the server's own id, or a new one if it has none or has given it to another call. */
  at(place: unknown, id: unknown): string {
    const existingId = this.#ids.get(place);
    if (existingId !== undefined) return existingId;
    const isOwn = typeof id === 'string' && id !== '' && !this.#used.has(id);
    const callId = isOwn ? id : `${this.#prefix}_${place}`;
    this.#ids.set(place, callId);
    this.#used.add(callId);
    return callId;
  }
}

/**
 * Returns a call's arguments as text. Servers send the object itself, nothing, or an empty text, too. Throws
 * `UpstreamFailure` for anything else.
 */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '{}';
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) throw new UpstreamFailure('protocol');
  return JSON.stringify(value);
}

/**
 * Returns a call's arguments as an object, for protocols that accept objects only. Empty arguments become an empty
 * object. Any other text, and JSON too deep to write again, becomes a text in an object. `parse` may throw.
 */
export function toolInput(text: string, parse: (json: string) => unknown = parseJson): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value = parse(text);
    if (isJsonObject(value) && !isTooDeep(value)) return value;
  } catch {
    // Returned as text below.
  }
  return { arguments: text };
}
