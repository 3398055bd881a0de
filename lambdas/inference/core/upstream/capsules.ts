/**
 * Capsules: text that a caller keeps for the service, because the service keeps nothing. Each is sealed, so that its
 * holder can neither read nor change it, and bound to the account and to an age.
 */

/** `signature`: a provider's proof of what its model thought. `items`: what an answer of the Responses API said. */
export type CapsuleContent = 'signature' | 'items';

/** The capsules of one account, in one request. */
export interface Capsules {
  /** Returns a capsule of letters, digits, `-` and `_`. */
  seal(content: CapsuleContent, text: string): string;
  /**
   * The text of a capsule; undefined for a text that is none of this content. Throws 400 `invalid_capsule`, naming
   * `param`, for one that was changed, is another account's or is too old, and where those of the request are too long.
   */
  open(content: CapsuleContent, capsule: string, param: string): string | undefined;
}

/** The proofs that one route's model gave and wants back. */
export interface Signatures {
  /** Seals a proof in whatever form its provider likes. */
  seal(proof: string): string;
  /** The proof; undefined when another route made it, or it is none of ours. */
  open(signature: string): string | undefined;
}

/** The signatures of a route, in capsules of the account; those in a request were all opened once before. */
export const signaturesOf = (capsules: Capsules, routeId: string): Signatures => ({
  seal: (proof) => capsules.seal('signature', JSON.stringify([routeId, proof])),
  open(signature) {
    const text = capsules.open('signature', signature, 'messages');
    if (text === undefined) return undefined;
    const [madeBy, proof] = JSON.parse(text) as [string, string];
    return madeBy === routeId ? proof : undefined;
  },
});
