/** Ids of tool calls for protocols that take fewer of them than the caller's own. */
import { createHash } from 'node:crypto';

const LEGAL = /^[a-zA-Z0-9_-]+$/;

const PREFIX = 'call_';

/**
 * The id as a protocol takes it that allows letters, digits, `_` and `-`, at most `maxLength` of them (16 or more): a
 * legal id as it is, any other as a digest. Equal ids stay equal, and different ones stay different.
 */
export function legalToolCallId(id: string, maxLength: number): string {
  if (id.length <= maxLength && LEGAL.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('base64url');
  return `${PREFIX}${digest}`.slice(0, maxLength);
}
