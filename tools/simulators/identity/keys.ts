/** The key that the local identity provider signs with, kept in a file so that its tokens are valid after a restart. */
import { existsSync, readFileSync } from 'node:fs';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { writePrivately } from '../private-file.ts';

export const ALGORITHM = 'ES256';

export interface SigningKey {
  readonly id: string;
  readonly privateKey: Awaited<ReturnType<typeof importJWK>>;
  readonly publicJwk: JWK;
}

export async function openKey(file: string): Promise<SigningKey> {
  if (!existsSync(file)) {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    writePrivately(file, await exportJWK(privateKey));
  }
  const jwk = JSON.parse(readFileSync(file, 'utf8')) as JWK;
  const { d: _secret, ...publicPart } = jwk;
  const id = await calculateJwkThumbprint(publicPart);
  const publicJwk = { ...publicPart, kid: id, alg: ALGORITHM, use: 'sig' };
  return { id, privateKey: await importJWK(jwk, ALGORITHM), publicJwk };
}
