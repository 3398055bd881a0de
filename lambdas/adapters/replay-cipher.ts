/**
 * Sealing of kept answers: compressed, then encrypted under a key that only the caller's API key yields. The service
 * keeps only a hash of that, so at rest nobody can read what is stored.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** AES-256 in Galois/Counter Mode (NIST SP 800-38D): 96-bit nonce, 128-bit tag. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** HKDF-SHA-256 (RFC 5869); the row's id as salt gives every row a key of its own. */
const keyOf = (credential: string, id: string): Buffer =>
  Buffer.from(hkdfSync('sha256', credential, id, 'uis-replay-1', KEY_BYTES));

/** `nonce | tag | ciphertext`. */
export async function seal(credential: string, id: string, text: string): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(credential, id), nonce).setAAD(Buffer.from(id));
  const sealed = Buffer.concat([cipher.update(await promisify(gzip)(text)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when the bytes were changed or sealed under another API key. */
export async function unseal(credential: string, id: string, bytes: Uint8Array): Promise<string> {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyOf(credential, id), nonce)
    .setAAD(Buffer.from(id))
    .setAuthTag(tag);
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  const compressed = Buffer.concat([decipher.update(sealed), decipher.final()]);
  return (await promisify(gunzip)(compressed)).toString('utf8');
}
