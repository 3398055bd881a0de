/** Sealed tokens that hide nothing and are the same for the same text, for tests of what is put into them. */
import type { SealedTokenContent, SealedTokens } from '../../core/upstream/sealed-tokens.ts';

const opening = (content: SealedTokenContent) => `plain_${content}_`;

export const PLAIN_SEALED_TOKENS: SealedTokens = {
  seal: (content, text) => `${opening(content)}${Buffer.from(text).toString('base64url')}`,
  open(content, sealedToken) {
    if (!sealedToken.startsWith(opening(content))) return undefined;
    return Buffer.from(sealedToken.slice(opening(content).length), 'base64url').toString();
  },
};
