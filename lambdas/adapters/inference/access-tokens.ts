/** Access tokens of clients whose credentials are secrets: fetched once, kept while they are good. */
import * as z from 'zod';
import type { Clock, SecretReader, TokenIssuer, TokenReader } from '../../core/ports.ts';
import { googleRequest } from './google-account.ts';
import { fetchToken, parseCredentials, type TokenRequest, tokenAddress } from './token-answer.ts';

export interface AccessTokenOptions {
  readonly fetch: typeof fetch;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
}

/** Entra of the public cloud; those of sovereign clouds are in the docs under "National clouds". */
const PUBLIC_AUTHORITY = 'https://login.microsoftonline.com';

/** What a token is for (Azure OpenAI docs, "How to configure Azure OpenAI with Microsoft Entra ID"). */
const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default';

/** Without `authority` and `scope` those of the public cloud. */
const entraSchema = z.strictObject({
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,128}$/),
  client_id: z.string().min(1).max(256),
  client_secret: z.string().min(1).max(4_096),
  authority: tokenAddress.default(PUBLIC_AUTHORITY),
  scope: z.string().min(1).max(512).default(ENTRA_SCOPE),
});

/**
 * Requests a token of Microsoft Entra ID for Azure OpenAI, by the client credentials flow (Microsoft identity platform docs,
 * OAuth 2.0 client credentials flow, "First case: Access token request with a shared secret"). Throws for a secret of another
 * form, without quoting it.
 */
async function entraRequest(secret: string): Promise<TokenRequest> {
  const form = '{"tenant_id", "client_id", "client_secret"}';
  const client = parseCredentials(entraSchema, secret, form);
  return {
    issuer: 'Microsoft Entra',
    url: `${client.authority.replace(/\/+$/, '')}/${client.tenant_id}/oauth2/v2.0/token`,
    form: {
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
      scope: client.scope,
    },
  };
}

const REQUESTS: Readonly<Record<TokenIssuer, (secret: string, clock: Clock) => Promise<TokenRequest>>> = {
  entra: entraRequest,
  google: googleRequest,
};

/** A token is replaced this long before its end, or at half its life where that is later. */
const MARGIN_MS = 5 * 60_000;

interface Held {
  /** The secret that the token was fetched for; a rotated one gets a token of its own. */
  readonly secret: string;
  readonly token: Promise<string>;
  /** The same, once it is there. */
  value?: string;
  /** Milliseconds since the epoch; set once the token is there. */
  untilMs: number;
}

export interface AccessTokens {
  /**
   * Gives the token for a secret's client, fetched once for all calls that wait for it and kept until shortly before
   * its end. Throws an error that quotes neither secret nor token.
   */
  readonly read: TokenReader;
  /** The same `fetch`; a token that is answered with 401 is dropped, so that the next call has a new one. */
  watched(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/** Unauthorized (RFC 9110, section 15.5.2). */
const UNAUTHORIZED = 401;

/** The tokens of this process. */
export function createAccessTokens({ fetch, readSecret, clock }: AccessTokenOptions): AccessTokens {
  const tokens = new Map<string, Held>();
  const read: TokenReader = async (issuer, reference) => {
    const secret = await readSecret(reference);
    const name = `${issuer} ${reference}`;
    const held = tokens.get(name);
    if (held !== undefined && held.secret === secret && clock() < held.untilMs) return held.token;
    const fetched = REQUESTS[issuer](secret, clock).then((request) => fetchToken(fetch, request));
    const next: Held = {
      secret,
      token: fetched.then(({ access_token: token }) => token),
      untilMs: Number.POSITIVE_INFINITY,
    };
    tokens.set(name, next);
    fetched.then(
      ({ access_token: token, expires_in: seconds }) => {
        const lifeMs = seconds * 1_000;
        next.value = token;
        next.untilMs = clock() + Math.max(lifeMs - MARGIN_MS, lifeMs / 2);
      },
      () => {
        if (tokens.get(name) === next) tokens.delete(name);
      },
    );
    return next.token;
  };
  const drop = (authorization: string | null) => {
    for (const [name, { value }] of tokens)
      if (value !== undefined && authorization === `Bearer ${value}`) tokens.delete(name);
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
