/** Names of functions as every protocol takes them. */
import { createHash } from 'node:crypto';

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_CHARACTERS = 64;
const DIGEST_CHARACTERS = 8;

/** Names that are in use. */
interface Taken {
  has(name: string): boolean;
}

/**
 * The name itself where it is legal and not `taken`, else the legal part of it with a digest: never one that is taken,
 * and the same for the same name and the same `taken`.
 */
export function legalToolName(name: string, taken: Taken): string {
  if (LEGAL.test(name) && !taken.has(name)) return name;
  const opening = name.slice(0, MAX_CHARACTERS - DIGEST_CHARACTERS - 1).replace(/[^a-zA-Z0-9_-]/g, '_');
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash('sha256').update(attempt === 0 ? name : `${name}\0${attempt}`);
    const legal = `${opening}_${hash.digest('base64url').slice(0, DIGEST_CHARACTERS)}`;
    if (!taken.has(legal)) return legal;
  }
}
