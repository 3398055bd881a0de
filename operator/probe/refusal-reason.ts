/** Why a host refused a request, short enough to read and without what it should not show. */
import { isJsonObject } from '../../lambdas/core/json/lossless-json.ts';

const MOST_CHARACTERS = 120;

/** Addresses; names of accounts, keys and requests; and any long run of letters and digits. */
const HIDDEN = [
  /https?:\/\/\S+/g,
  /\S+@\S+\.\S+/g,
  /\b(sk|pk|org|proj|key|req|acct|user|gsk|xai)[-_][\w-]+/gi,
  /[A-Za-z0-9+/=_-]*(?=[A-Za-z0-9+/=_-]*\d)[A-Za-z0-9+/=_-]{24,}/g,
];

/** The message in an error's body: in an envelope or not, in a list, as FastAPI has it, or as the text of a field. */
function messageIn(body: unknown): string {
  if (typeof body === 'string') return body;
  if (Array.isArray(body)) return messageIn(body[0]);
  if (!isJsonObject(body)) return '';
  return (
    ['error', 'message', 'detail', 'msg'].map((name) => messageIn(body[name])).find((text) => text !== '') ??
    ''
  );
}

/** The status, and what of the message can be shown; `secret` is never among it. */
export function reasonOf(status: number, text: string, secret?: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `status ${status}`;
  }
  let message = messageIn(body);
  if (secret !== undefined && secret !== '') message = message.replaceAll(secret, '…');
  for (const pattern of HIDDEN) message = message.replaceAll(pattern, '…');
  const line = message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const shown = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
  return shown === '' ? `status ${status}` : `status ${status}: ${shown}`;
}
