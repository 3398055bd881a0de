/**
 * The cookie that contains a session for a browser (RFC 6265). Scripts cannot read it. Other hosts cannot set it
 * (prefix `__Host-`), and other sites cannot make a browser send it. It is ignored without the header that our pages
 * send.
 */

/** One for each role; bound to the host, to TLS and to every path (RFC 6265bis, section 4.1.3.2). */
export const SESSION_COOKIES = {
  owner: '__Host-session',
  operator: '__Host-operator',
} as const;

/** The scope of a session: the resources of its account, or the view of the whole deployment. */
export type SessionRole = keyof typeof SESSION_COOKIES;

/** Header of a sign-in that requests the cookie, with the value `cookie`. */
export const TRANSPORT_HEADER = 'x-session-transport';

/** Header that a page of another site cannot send: it needs CORS, which no API of the service enables. */
const PAGE_HEADER = 'x-requested-with';
const PAGE = 'console';

const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** API Gateway takes headers of 10,240 bytes together; our own token has about 400. */
const MAX_HEADER_LENGTH = 8_192;

/** Three parts of base64url (RFC 7515, section 7.1). */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The value of `Set-Cookie` that gives a browser a session for that long. */
export const sessionCookie = (token: string, seconds: number, role: SessionRole = 'owner'): string =>
  `${SESSION_COOKIES[role]}=${token}; ${ATTRIBUTES}; Max-Age=${seconds}`;

/** The value of `Set-Cookie` that takes the session from a browser. */
export const CLEARED_SESSION_COOKIE = sessionCookie('', 0);
export const CLEARED_OPERATOR_COOKIE = sessionCookie('', 0, 'operator');

/**
 * Returns whether the session of a request came by cookie. The request must have a session. An `authorization` header
 * takes precedence over the cookie.
 */
export const isCookieSession = (headers: Pick<Headers, 'get'>): boolean =>
  headers.get('authorization') === null;

/**
 * Returns the token in a request's cookie for that role. Returns undefined if no cookie counts. Returns an empty string
 * if the cookie contains no token or occurs twice, since it is unclear which one is ours.
 */
export function cookieToken(headers: Pick<Headers, 'get'>, role: SessionRole = 'owner'): string | undefined {
  const cookieHeader = headers.get('cookie');
  if (cookieHeader === null || !isCookieSession(headers) || headers.get(PAGE_HEADER) !== PAGE)
    return undefined;
  if (cookieHeader.length > MAX_HEADER_LENGTH) return '';
  const values = cookieHeader.split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === SESSION_COOKIES[role] ? [value.join('=').trim()] : [];
  });
  const [value] = values;
  if (value === undefined) return undefined;
  return values.length === 1 && TOKEN.test(value) ? value : '';
}
