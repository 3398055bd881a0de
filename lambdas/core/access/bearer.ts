/** The Bearer credential of a request (RFC 6750, section 2.1). */

/** The token, or undefined when the value is no Bearer credential; the scheme's case does not matter. */
export function bearerToken(authorization: string): string | undefined {
  return /^bearer +(.+)$/i.exec(authorization.trim())?.[1];
}
