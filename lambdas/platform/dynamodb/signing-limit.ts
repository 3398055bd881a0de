/**
 * Requests that must not be signed after a time. DynamoDB rejects a request whose signature is older than five minutes, so
 * after that time and five minutes no copy of the request can be executed, wherever it was delayed.
 */

const limits = new WeakMap<object, number>();

/** The request was not sent: its signature would have been too late. */
export class LateSignatureError extends Error {
  override readonly name = 'LateSignatureError';
}

/** Limits every signature of the request with this input, repetitions included. `limitMs` is a time of the epoch. */
export const signBefore = (input: object, limitMs: number): void => {
  limits.set(input, limitMs);
};

/** Gives the copy of an input the limit of the original. */
export function copySigningLimit(from: object, to: object): void {
  const limitMs = limits.get(from);
  if (limitMs !== undefined) limits.set(to, limitMs);
}

/** Checks the date of a signature that was made. The process may have paused before it, so an earlier check would not do. */
export function checkSigningLimit(input: object, signedMs: number): void {
  const limitMs = limits.get(input);
  if (limitMs !== undefined && signedMs > limitMs) throw new LateSignatureError();
}
