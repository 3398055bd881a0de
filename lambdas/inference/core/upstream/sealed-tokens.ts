/**
 * Sealed tokens: text that a caller stores for the service, because the service stores nothing. Each token is sealed,
 * so that its holder can neither read nor change it. It is bound to the account and expires.
 */

/**
 * - `signature`: a provider's signature of its model's reasoning.
 * - `items`: the output items of a Responses API response.
 */
export type SealedTokenContent = 'signature' | 'items';

/** The sealed tokens of one account, in one request. */
export interface SealedTokens {
  /** Returns a sealed token of letters, digits, `-` and `_`. */
  seal(content: SealedTokenContent, text: string): string;
  /**
   * Returns the text of a sealed token. Undefined for a text that is not a token of this content. Throws 400
   * `invalid_capsule` with `param` if the token was changed, is another account's or has expired. Also throws it if the
   * request's tokens are too long.
   */
  open(content: SealedTokenContent, sealedToken: string, param: string): string | undefined;
}

/** The signatures that one route's model returned and expects in later requests. */
export interface Signatures {
  /** Seals a signature in its provider's form. */
  seal(providerSignature: string): string;
  /** Returns the signature. Undefined if another route created it, or the service did not seal it. */
  open(signature: string): string | undefined;
  /** Returns whether a provider itself gave the signature to the caller: it is not empty, and the service did not seal it. */
  isUnsealed(signature: string): boolean;
}

/**
 * Returns the signatures of a route, in sealed tokens of the account. All tokens of a request were opened once before.
 */
export const signaturesOf = (sealedTokens: SealedTokens, routeId: string): Signatures => ({
  seal: (providerSignature) => sealedTokens.seal('signature', JSON.stringify([routeId, providerSignature])),
  open(signature) {
    const text = sealedTokens.open('signature', signature, 'messages');
    if (text === undefined) return undefined;
    const [issuingRouteId, providerSignature] = JSON.parse(text) as [string, string];
    return issuingRouteId === routeId ? providerSignature : undefined;
  },
  isUnsealed: (signature) =>
    signature !== '' && sealedTokens.open('signature', signature, 'messages') === undefined,
});
