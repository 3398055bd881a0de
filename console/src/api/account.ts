/**
 * The signed-in account. It is requested while most of the page's scripts are still loading, so that the response
 * arrives with them.
 */
import { call } from './client.ts';
import type { AccountBody } from './types.ts';

const ask = (): Promise<AccountBody> => call<AccountBody>('/api/v1/auth/me');

/** Returns whether the identity provider has just redirected the browser here, so that there is no session yet. */
export const signInReturned = (query: URLSearchParams): boolean => query.has('code') || query.has('error');

let ahead: Promise<AccountBody> | undefined;

/** Asks, for who wants to know later. */
export function askAhead(): void {
  if (signInReturned(new URLSearchParams(location.search))) return;
  ahead = ask();
  // What goes wrong is shown by who takes the answer.
  ahead.catch(() => {});
}

/** The account of the session; the first time, what was asked ahead. Rejects with an `ApiError` of 401 without a session. */
export function account(): Promise<AccountBody> {
  const asked = ahead ?? ask();
  ahead = undefined;
  return asked;
}
