/**
 * API keys that verify offline. A key contains the id of its account, its own id, a random secret and a tag. The tag is
 * computed with a pepper that only the service has, so a forgery is rejected without a database request. Secret
 * scanners can detect the format. The database stores a hash of the secret.
 *
 * `uis_` + account (26, ULID) + key (26, ULID) + secret (40 hex, 160 bits) + tag (32 hex, 128 bits)
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../../platform/core/errors.ts';

/** The prefix by which callers and secret scanners recognize keys. */
const PREFIX = 'uis_';

const FORM = 'uis_([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})([0-9a-f]{40})([0-9a-f]{32})';
const KEY = new RegExp(`^${FORM}$`);

/** Bytes of randomness in a key: 160 bits cannot be guessed. */
export const SECRET_BYTES = 20;

/** The pepper in use and, while it is being rotated, the one before it. */
export interface Peppers {
  readonly current: string;
  readonly previous?: string;
}

/** The identity of a verified key. Only the database records if the key is still active. */
export interface VerifiedKey {
  /** `acc_<ulid>`. */
  readonly accountId: string;
  /** `key_<ulid>`. */
  readonly keyId: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
}

/** The identity of a key, and its secret: hex of `SECRET_BYTES` random bytes. */
type KeyParts = Pick<VerifiedKey, 'accountId' | 'keyId'> & { readonly secret: string };

const ulidOf = (id: string) => id.slice(4);

function tag(body: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`uis-key-1:${body}`).digest('hex').slice(0, 32);
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Writes the key that its holder will send; it is shown once and stored nowhere. */
export function formatKey(parts: KeyParts, peppers: Peppers): string {
  const body = `${ulidOf(parts.accountId)}${ulidOf(parts.keyId)}${parts.secret}`;
  return `${PREFIX}${body}${tag(body, peppers.current)}`;
}

/**
 * Returns the texts within a text that have the form of a key, each once. White space within a key is ignored, because
 * programs wrap long lines.
 */
export const keysIn = (text: string): readonly string[] => [
  ...new Set(text.replaceAll(/\s/g, '').match(new RegExp(FORM, 'g')) ?? []),
];

/** Returns the key's identity, or undefined when it is malformed or not signed by this service. */
export function verifyKey(key: string, peppers: Peppers): VerifiedKey | undefined {
  const match = KEY.exec(key);
  if (match === null) return undefined;
  const [, account = '', id = '', secret = '', receivedTag = ''] = match;
  const body = `${account}${id}${secret}`;
  const genuine = [peppers.current, peppers.previous].some(
    (pepper) =>
      pepper !== undefined && timingSafeEqual(Buffer.from(tag(body, pepper)), Buffer.from(receivedTag)),
  );
  if (!genuine) return undefined;
  return { accountId: `acc_${account}`, keyId: `key_${id}`, secretHash: hashSecret(secret) };
}

const HOW_TO_REPLACE =
  'It may be incomplete, disabled or revoked: the console lists your keys under /console#/keys, and creates new ones.';

/**
 * Returns the error for every key that is not active. Unknown, malformed, forged, disabled and revoked keys get the
 * same error.
 */
export function invalidKey(): ServiceError {
  return new ServiceError('invalid_api_key', `The API key is not valid. ${HOW_TO_REPLACE}`);
}

const HOW_TO_SEND = 'Send one as "Authorization: Bearer <key>" or "X-API-Key: <key>".';

/** Returns whether a token has the three parts of a session (RFC 7515, section 7.1). */
export const isSessionToken = (token: string): boolean => token.split('.').length === 3;

/** Returns whether a token has the form of an API key, which nobody has verified. */
export const isKeyToken = (token: string): boolean => token.startsWith(PREFIX);

/** The token of a Bearer credential (RFC 6750, section 2.1), in any case; undefined for any other credential. */
export const bearerToken = (authorization: string): string | undefined =>
  /^bearer +(.+)$/i.exec(authorization.trim())?.[1];

/**
 * Returns the API key of a request: from `Authorization: Bearer`, else from `X-API-Key`. The latter therefore works
 * next to a session or a credential of another scheme. Throws 401 `missing_api_key`, or `invalid_api_key` for a
 * credential that is not an API key.
 */
export function credentialOf(headers: Pick<Headers, 'get'>): string {
  const authorization = headers.get('authorization');
  const bearer = authorization === null ? undefined : bearerToken(authorization);
  if (bearer !== undefined && isKeyToken(bearer)) return bearer.trim();
  const key = headers.get('x-api-key');
  if (key !== null) return key.trim();
  // A shell variable that is not set leaves the scheme alone.
  if (authorization === null || /^bearer *$/i.test(authorization.trim()))
    throw new ServiceError('missing_api_key', `No API key was sent. ${HOW_TO_SEND}`);
  if (bearer !== undefined && isSessionToken(bearer)) {
    const message = `A session was sent where an API key is needed. ${HOW_TO_SEND}`;
    throw new ServiceError('invalid_api_key', message);
  }
  throw invalidKey();
}

/** Verifies the API key of a request. Throws 401 `missing_api_key` or `invalid_api_key`. */
export function authenticate(headers: Pick<Headers, 'get'>, peppers: Peppers): VerifiedKey {
  const verified = verifyKey(credentialOf(headers), peppers);
  if (verified === undefined) throw invalidKey();
  return verified;
}
