/** The key that the local identity provider signs with, kept in a file so that its tokens are valid after a restart. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

export const ALGORITHM = 'ES256';

export interface SigningKey {
  readonly id: string;
  readonly privateKey: Awaited<ReturnType<typeof importJWK>>;
  /** The key in the form of the key set. */
  readonly publicJwk: JWK;
}

/** Makes the key the first time. */
export async function openKey(file: string): Promise<SigningKey> {
  if (!existsSync(file)) await makeKey(file);
  const jwk = JSON.parse(readFileSync(file, 'utf8')) as JWK;
  const { d: _secret, ...publicPart } = jwk;
  const id = await calculateJwkThumbprint(publicPart);
  const publicJwk = { ...publicPart, kid: id, alg: ALGORITHM, use: 'sig' };
  return { id, privateKey: await importJWK(jwk, ALGORITHM), publicJwk };
}

async function makeKey(file: string): Promise<void> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600 });
  renameSync(temporary, file);
}
