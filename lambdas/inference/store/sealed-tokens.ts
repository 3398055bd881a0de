/** Tokens sealed under the service's pepper. Nothing is stored, and no other secret is needed. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Peppers } from '../../access/core/keys/api-key.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { decrypt, encrypt } from '../../platform/system/sealing.ts';
import type { SealedTokenContent, SealedTokens } from '../core/upstream/sealed-tokens.ts';

/** The time for which OpenAI stores a response (OpenAI docs, Conversation state). */
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Clocks of two processes may differ. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Maximum size of the opened sealed tokens of one request, in bytes, each opening counted. It exceeds the largest
 * context window, and limits the harm of texts that shrink a thousandfold.
 */
const MAX_OPENED_BYTES = 32 * 1_024 * 1_024;

/** The letter that identifies a content in a sealed token. */
const LETTERS: Readonly<Record<SealedTokenContent, string>> = { signature: 's', items: 'i' };

/** `uis1`, the letter of the content, `_`, and in base64url what is sealed: 6 bytes of time, milliseconds, and the deflated text. */
const SEALED_TOKEN = /^uis1([a-z])_([A-Za-z0-9_-]+)$/;
const TIME_BYTES = 6;

/**
 * Creates the sealed tokens of an account in one request. The key of each content is derived from the pepper, with the
 * account's id as salt.
 */
export function createSealedTokens(peppers: Peppers, clock: Clock): (accountId: string) => SealedTokens {
  return (accountId) => {
    let remainingBytes = MAX_OPENED_BYTES;
    const under = (secret: string, content: SealedTokenContent) =>
      ({ secret, purpose: `uis-capsule-${content}-1`, id: accountId }) as const;

    function opened(content: SealedTokenContent, bytes: Buffer): Buffer | undefined {
      for (const secret of [peppers.current, peppers.previous]) {
        if (secret === undefined) continue;
        try {
          return decrypt(under(secret, content), bytes);
        } catch {
          // Sealed under the other pepper, or changed.
        }
      }
      return undefined;
    }

    return {
      seal(content, text) {
        const time = Buffer.alloc(TIME_BYTES);
        time.writeUIntBE(clock(), 0, TIME_BYTES);
        const sealed = encrypt(under(peppers.current, content), Buffer.concat([time, deflateRawSync(text)]));
        return `uis1${LETTERS[content]}_${sealed.toString('base64url')}`;
      },
      open(content, sealedToken, param) {
        const [, letter, sealed = ''] = SEALED_TOKEN.exec(sealedToken) ?? [];
        if (letter !== LETTERS[content]) return undefined;
        const sealedBytes = Buffer.from(sealed, 'base64url');
        // One text for the same bytes: the last letter may have bits that say nothing.
        const bytes = sealedBytes.toString('base64url') === sealed ? opened(content, sealedBytes) : undefined;
        if (bytes === undefined) throw invalid(param, 'was changed, or is of another account');
        const ageMs = clock() - bytes.readUIntBE(0, TIME_BYTES);
        if (ageMs > MAX_AGE_MS || ageMs < -MAX_SKEW_MS) throw invalid(param, 'is too old');
        const text = inflated(bytes.subarray(TIME_BYTES), remainingBytes);
        if (text === undefined) throw invalid(param, 'is too long together with the others');
        remainingBytes -= text.length;
        return text.toString('utf8');
      },
    };
  };
}

/** Returns undefined for more than `maxBytes`. */
function inflated(bytes: Uint8Array, maxBytes: number): Buffer | undefined {
  if (maxBytes === 0) return undefined;
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxBytes });
  } catch (failure) {
    if ((failure as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw failure;
  }
}

const invalid = (param: string, why: string): ServiceError =>
  new ServiceError('invalid_capsule', `${param}: the sealed text ${why}; send the conversation without it.`, {
    param,
  });
