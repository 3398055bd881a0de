/** Signing in and out in a browser: an authorization code with PKCE (RFC 7636), exchanged by the service, never here. */
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi';
import { signInReturned } from './account.ts';
import { call, SERVICE, send } from './client.ts';
import type { ApiPage, IdentityProvider } from './types.ts';

/** The state that a sign-in needs when the provider redirects the browser here. It never contains a token. */
interface PendingSignIn {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** An operator's session is another than the owner's. */
  readonly role: Role;
  /** The page that was requested. */
  readonly page: string;
}

export type Role = 'owner' | 'operator';

const SIGN_IN_KEY = 'sign-in';

/** The address that providers send the browser back to. */
const redirectUri = (): string => `${SERVICE}/console`;

export const providers = async (): Promise<readonly IdentityProvider[]> =>
  (await call<ApiPage<IdentityProvider>>('/api/v1/auth/providers')).data;

/** Leaves for the provider's own page. */
export async function startSignIn(provider: IdentityProvider, role: Role): Promise<void> {
  const pendingSignIn: PendingSignIn = {
    provider: provider.id,
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    verifier: generateRandomCodeVerifier(),
    role,
    page: location.hash,
  };
  sessionStorage.setItem(SIGN_IN_KEY, JSON.stringify(pendingSignIn));
  const url = new URL(provider.authorization_endpoint);
  const query = {
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: redirectUri(),
    scope: provider.scope,
    state: pendingSignIn.state,
    nonce: pendingSignIn.nonce,
    code_challenge: await calculatePKCECodeChallenge(pendingSignIn.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  location.assign(url.href);
}

/**
 * Completes a sign-in if this page load is the provider's response to it. Returns whether it was. Removes the code from
 * the address bar before any request. Throws with the error of the provider or the service.
 */
export async function endSignIn(): Promise<boolean> {
  const query = new URLSearchParams(location.search);
  const stored = sessionStorage.getItem(SIGN_IN_KEY);
  if (!signInReturned(query)) return false;
  sessionStorage.removeItem(SIGN_IN_KEY);
  const pendingSignIn = stored === null ? undefined : (JSON.parse(stored) as PendingSignIn);
  history.replaceState(null, '', `${location.pathname}${pendingSignIn?.page ?? ''}`);
  const [code, error] = [query.get('code'), query.get('error_description') ?? query.get('error')];
  // A code that this browser did not request would sign one user in as another.
  if (pendingSignIn === undefined || query.get('state') !== pendingSignIn.state)
    throw new Error(
      'This sign-in was not started in this window, or it was started too long ago. Try again.',
    );
  if (code === null) throw new Error(error ?? 'The sign-in was not completed.');
  await send(`/api/v1/auth/${encodeURIComponent(pendingSignIn.provider)}`, {
    method: 'POST',
    headers: { 'x-session-transport': 'cookie' },
    body: {
      code,
      code_verifier: pendingSignIn.verifier,
      redirect_uri: redirectUri(),
      nonce: pendingSignIn.nonce,
      ...(pendingSignIn.role === 'operator' ? { role: pendingSignIn.role } : {}),
    },
  });
  return true;
}

let failure: Error | undefined;

/** Notes why the last sign-in did not end well, for the page that shows next. */
export const noteSignInFailure = (reason: Error): void => {
  failure = reason;
};

export const signInFailure = (): Error | undefined => failure;

export async function signOut(everywhere: boolean): Promise<void> {
  await send('/api/v1/auth/sign-out', { method: 'POST', body: { everywhere } });
}

/** A session ends after an hour; one that is renewed lasts for as long as the service lets it, a day. */
const RENEW_MS = 20 * 60_000;

/** Renews the session while the page is visible. Returns a function that stops it. */
export function startSessionRenewal(onEnd: () => void): () => void {
  let renewedMs = Date.now();
  const renew = async () => {
    if (document.visibilityState !== 'visible' || Date.now() - renewedMs < RENEW_MS) return;
    renewedMs = Date.now();
    await send('/api/v1/auth/renew', { method: 'POST' }).catch(onEnd);
  };
  const timer = setInterval(renew, 30_000);
  document.addEventListener('visibilitychange', renew);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', renew);
  };
}

export async function signOutOperator(): Promise<void> {
  await send('/api/v1/operator/sign-out', { method: 'POST' });
}
