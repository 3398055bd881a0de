/**
 * Access tokens of Microsoft Entra ID for Azure OpenAI, by the client credentials flow (Microsoft identity platform docs,
 * OAuth 2.0 client credentials flow, "First case: Access token request with a shared secret").
 */
import * as z from 'zod';
import type { Clock, SecretReader, TokenReader } from '../../core/ports.ts';

export interface EntraOptions {
  readonly fetch: typeof fetch;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
}

/** Entra of the public cloud; those of sovereign clouds are in the docs under "National clouds". */
const PUBLIC_AUTHORITY = 'https://login.microsoftonline.com';

/** What a token is for (Azure OpenAI docs, "How to configure Azure OpenAI with Microsoft Entra ID"). */
const SCOPE = 'https://cognitiveservices.azure.com/.default';

/** Entra that does not answer by then is not waited for: the route fails, and another serves. */
const TIMEOUT_MS = 5_000;

/** A token is replaced this long before its end, or at half its life where that is later. */
const MARGIN_MS = 5 * 60_000;

/** The client's secret goes nowhere but over TLS, or to this machine. */
const isSafeAuthority = (url: string): boolean =>
  /^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(`${url}/`);

/** A secret's JSON; without `authority` and `scope` those of the public cloud. */
const credentialsSchema = z.strictObject({
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,128}$/),
  client_id: z.string().min(1).max(256),
  client_secret: z.string().min(1).max(4_096),
  authority: z.url().refine(isSafeAuthority).default(PUBLIC_AUTHORITY),
  scope: z.string().min(1).max(512).default(SCOPE),
});
type Credentials = z.infer<typeof credentialsSchema>;

const tokenSchema = z.object({
  access_token: z.string().min(1),
  /** Seconds; Entra sends a number, older endpoints of it a text. */
  expires_in: z.coerce
    .number()
    .min(1)
    .max(7 * 86_400),
});

interface Held {
  /** The secret that the token was fetched for; a rotated one gets a token of its own. */
  readonly secret: string;
  readonly token: Promise<string>;
  /** The same, once it is there. */
  value?: string;
  /** Milliseconds since the epoch; set once the token is there. */
  untilMs: number;
}

export interface EntraTokens {
  /**
   * Gives the token of a secret of the form `{"tenant_id", "client_id", "client_secret"}`, fetched once for all calls
   * that wait for it and kept until shortly before its end. Throws an error that quotes neither secret nor token.
   */
  readonly read: TokenReader;
  /** The same `fetch`; a token that is answered with 401 is dropped, so that the next call has a new one. */
  watched(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/** Unauthorized (RFC 9110, section 15.5.2). */
const UNAUTHORIZED = 401;

/** The tokens of this process. */
export function createEntraTokens({ fetch, readSecret, clock }: EntraOptions): EntraTokens {
  const tokens = new Map<string, Held>();
  const read: TokenReader = async (reference) => {
    const secret = await readSecret(reference);
    const held = tokens.get(reference);
    if (held !== undefined && held.secret === secret && clock() < held.untilMs) return held.token;
    const fetched = fetchToken(fetch, parseCredentials(secret));
    const next: Held = {
      secret,
      token: fetched.then(({ access_token: token }) => token),
      untilMs: Number.POSITIVE_INFINITY,
    };
    tokens.set(reference, next);
    fetched.then(
      ({ access_token: token, expires_in: seconds }) => {
        const lifeMs = seconds * 1_000;
        next.value = token;
        next.untilMs = clock() + Math.max(lifeMs - MARGIN_MS, lifeMs / 2);
      },
      () => {
        if (tokens.get(reference) === next) tokens.delete(reference);
      },
    );
    return next.token;
  };
  const drop = (authorization: string | null) => {
    for (const [reference, { value }] of tokens)
      if (value !== undefined && authorization === `Bearer ${value}`) tokens.delete(reference);
  };
  return {
    read,
    watched: (upstream) => async (input, init) => {
      const response = await upstream(input, init);
      if (response.status === UNAUTHORIZED && tokens.size > 0)
        drop(new Headers(init?.headers).get('authorization'));
      return response;
    },
  };
}

/** A parser's own message would quote the secret. */
function parseCredentials(text: string): Credentials {
  try {
    return credentialsSchema.parse(JSON.parse(text));
  } catch {
    throw new Error('the secret is not JSON of the form {"tenant_id", "client_id", "client_secret"}');
  }
}

async function fetchToken(
  fetch: typeof globalThis.fetch,
  { authority, tenant_id: tenant, client_id: client, client_secret: secret, scope }: Credentials,
): Promise<z.infer<typeof tokenSchema>> {
  const response = await fetch(`${authority.replace(/\/+$/, '')}/${tenant}/oauth2/v2.0/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: secret,
      scope,
    }).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Microsoft Entra answered ${response.status}`);
  try {
    return tokenSchema.parse(JSON.parse(text));
  } catch {
    throw new Error('Microsoft Entra answered without a token');
  }
}
