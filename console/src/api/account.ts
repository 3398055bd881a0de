/**
 * The signed-in account. It is requested while most of the page's scripts are still loading, so that the response
 * arrives with them.
 */
import { call } from './client.ts';
import type { AccountBody } from './types.ts';

const requestAccount = (): Promise<AccountBody> => call<AccountBody>('/api/v1/auth/me');

/** Returns whether the identity provider has just redirected the browser here, so that there is no session yet. */
export const signInReturned = (query: URLSearchParams): boolean => query.has('code') || query.has('error');

let ahead: Promise<AccountBody> | undefined;

/** Requests the account in advance, for later callers. */
export function prefetchAccount(): void {
  if (signInReturned(new URLSearchParams(location.search))) return;
  ahead = requestAccount();
  // The consumer of the response shows the error.
  ahead.catch(() => {});
}

/**
 * Returns the account of the session; the first time, the account that was requested in advance. Rejects with an
 * `ApiError` of 401 without a session.
 */
export function account(): Promise<AccountBody> {
  const request = ahead ?? requestAccount();
  ahead = undefined;
  return request;
}
