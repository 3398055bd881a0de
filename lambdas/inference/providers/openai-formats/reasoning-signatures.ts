/** Signatures of reasoning in the form that the providers of OpenAI's protocols seal: objects as JSON. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';

export const sealSignature = (signatures: Signatures, signature: JsonObject): string =>
  signatures.seal(JSON.stringify(signature));

/** Returns the content of a sealed signature. Undefined if the text is not a signature of this route. */
export function openSignature(signatures: Signatures, sealed: unknown): JsonObject | undefined {
  const json = typeof sealed === 'string' ? signatures.open(sealed) : undefined;
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The route used another protocol when the signature was created.
    return undefined;
  }
}
