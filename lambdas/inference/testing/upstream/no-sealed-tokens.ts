/** Sealed tokens for tests that seal nothing: none opens, and none can be made. */
import type { SealedTokens } from '../../core/upstream/sealed-tokens.ts';

export const NO_SEALED_TOKENS: SealedTokens = {
  seal: () => {
    throw new Error('nothing is sealed here');
  },
  open: () => undefined,
};
