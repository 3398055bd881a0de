/** Sealing of stored data: compressed, then encrypted under a separate key that only the given secret yields. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** AES-256 in Galois/Counter Mode (NIST SP 800-38D): 96-bit nonce, 128-bit tag. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** The purposes of sealing. Data that is sealed for one purpose does not open for another. */
export type Purpose =
  | 'uis-replay-1'
  | 'uis-webhook-secret-1'
  | 'uis-event-1'
  | 'uis-capsule-signature-1'
  | 'uis-capsule-items-1';

/** Under which key, and for which row. */
export interface Seal {
  readonly secret: string;
  readonly purpose: Purpose;
  readonly id: string;
}

/** Derives the key with HKDF-SHA-256 (RFC 5869). The salt is the row's id, so every row has a separate key. */
const keyOf = ({ secret, purpose, id }: Seal): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, id, purpose, KEY_BYTES));

/** Seals a text, compressed. */
export const seal = async (under: Seal, text: string): Promise<Buffer> =>
  encrypt(under, await promisify(gzip)(text));

/** Throws when the bytes were changed, or sealed under another secret, for another purpose or another row. */
export const unseal = async (under: Seal, bytes: Uint8Array): Promise<string> =>
  (await promisify(gunzip)(decrypt(under, bytes))).toString('utf8');

/** `nonce | tag | ciphertext`. */
export function encrypt(under: Seal, text: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(under), nonce).setAAD(Buffer.from(under.id));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when the bytes were changed, or sealed under another secret, for another purpose or another row. */
export function decrypt(under: Seal, bytes: Uint8Array): Buffer {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyOf(under), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(under.id))
    .setAuthTag(tag);
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}
