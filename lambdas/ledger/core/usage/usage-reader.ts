/** The caller of a route that shows usage: a session reads that of its account, and a key its own, unless its policy extends it. */
import { authenticate, type Peppers } from '../../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../../access/core/keys/key-gate.ts';
import type { KeyState } from '../../../access/core/keys/key-state.ts';
import { hasSession, readSession, type Sessions } from '../../../access/core/sessions/session.ts';
import { toServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { HttpRequest, TextResponse } from '../../../platform/core/ports.ts';

export interface ReadableUsage {
  readonly accountId: string;
  /** The only key whose calls are read; undefined for all of the account's. */
  readonly keyId: string | undefined;
  /** The headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
}

const usageOfKey = (
  { accountId, keyId, policy }: Pick<KeyState, 'accountId' | 'keyId' | 'policy'>,
  headers: ReadableUsage['headers'],
): ReadableUsage => ({ accountId, keyId: policy.reads === 'account' ? undefined : keyId, headers });

interface ReadableUsageDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: Pick<KeyGate, 'touch'>;
  readonly sessions: Pick<Sessions, 'verify'>;
}

/** Returns what a caller may read. Throws 401 or 429. A request with a key counts against it. */
async function readableUsage(
  { peppers, gate, sessions }: ReadableUsageDependencies,
  { headers: sent }: Pick<HttpRequest, 'headers'>,
): Promise<ReadableUsage> {
  if (hasSession(sent)) {
    const { accountId } = await readSession(sent, sessions);
    return { accountId, keyId: undefined, headers: {} };
  }
  const { state, headers } = await gate.touch(authenticate(sent, await peppers()));
  return usageOfKey(state, headers);
}

/** Responds with the body for what the caller may read. */
export async function respondToReader(
  dependencies: ReadableUsageDependencies,
  request: Pick<HttpRequest, 'headers'>,
  bodyFor: (reader: ReadableUsage) => Promise<object>,
): Promise<TextResponse> {
  const reader = await readableUsage(dependencies, request);
  try {
    return jsonResponse(await bodyFor(reader), reader.headers);
  } catch (failure) {
    throw toServiceError(failure).withHeaders(reader.headers);
  }
}
