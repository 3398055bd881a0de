/** Proofs of reasoning: values that only the provider that gave them accepts, for the text they were given with. */
import { createHmac } from 'node:crypto';
import { parsedJson } from '../../parsed-json.ts';

/** Fixed, so that a conversation goes on after a restart. */
const KEY = 'key of the simulated providers';

/** The issuer of a signature, and the model or account for which it is valid. */
export type SignatureScope = readonly string[];

const mac = (scope: SignatureScope, text: string): Buffer =>
  createHmac('sha512', KEY)
    .update(JSON.stringify([scope, text]))
    .digest();

export const signatureOf = (scope: SignatureScope, text: string): string =>
  mac(scope, text).toString('base64');

export const isSignatureOf = (scope: SignatureScope, text: string, signature: unknown): boolean =>
  signature === signatureOf(scope, text);

/** `content` as a value in base64 that only this scope opens; it is no secret here. */
export function sealed(scope: SignatureScope, content: unknown): string {
  const text = JSON.stringify(content);
  return Buffer.from(JSON.stringify([text, signatureOf(scope, text)])).toString('base64');
}

/** The content of a sealed value; undefined when it was changed, or sealed for another scope. */
export function opened(scope: SignatureScope, value: string): unknown {
  const pair = parsedJson(Buffer.from(value, 'base64').toString('utf8'));
  if (!Array.isArray(pair)) return undefined;
  const [text, signature]: readonly unknown[] = pair;
  const isOwn = typeof text === 'string' && isSignatureOf(scope, text, signature);
  // Base64 has several texts for the same bytes.
  return isOwn && sealed(scope, parsedJson(text)) === value ? parsedJson(text) : undefined;
}
