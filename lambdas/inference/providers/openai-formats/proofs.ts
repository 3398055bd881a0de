/** Proofs of reasoning as the providers of OpenAI's protocols seal them: objects as JSON. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';

export const sealProof = (signatures: Signatures, proof: JsonObject): string =>
  signatures.seal(JSON.stringify(proof));

/** The proof of a text that may be a signature; undefined when it is none of this route's. */
export function openProof(signatures: Signatures, sealed: unknown): JsonObject | undefined {
  const proof = typeof sealed === 'string' ? signatures.open(sealed) : undefined;
  if (proof === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(proof);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The route spoke another protocol when it was made.
    return undefined;
  }
}
