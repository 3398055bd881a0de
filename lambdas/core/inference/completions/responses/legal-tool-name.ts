/** Names of functions as every protocol takes them. */
import { createHash } from 'node:crypto';

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_CHARACTERS = 64;
const DIGEST_CHARACTERS = 8;

/** The name itself where it is legal and not `taken`, else the legal part of it with a digest: the same for the same name. */
export function legalToolName(name: string, taken: ReadonlySet<string>): string {
  if (LEGAL.test(name) && !taken.has(name)) return name;
  const digest = createHash('sha256').update(name).digest('base64url').slice(0, DIGEST_CHARACTERS);
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_CHARACTERS - DIGEST_CHARACTERS - 1);
  return `${legal}_${digest}`;
}
