/** Why a host did not answer a request, as far as it can be shown: what callers may read of a refusal, and the status. */
import { refusalIn } from '../../lambdas/providers/refusals/refusal.ts';

const MOST_CHARACTERS = 120;

/** The error's body; the first of Google's list of them. */
function bodyOf(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return Array.isArray(body) ? body[0] : body;
  } catch {
    return undefined;
  }
}

/** The status and what of the message may be shown; `secret` is never among it. */
export function reasonOf(status: number, text: string, secret?: string): string {
  const { reason } = refusalIn(bodyOf(secret ? text.replaceAll(secret, '') : text));
  const shown = reason.length > MOST_CHARACTERS ? `${reason.slice(0, MOST_CHARACTERS)}…` : reason;
  return shown === '' ? `status ${status}` : `status ${status}: ${shown}`;
}
