/** Access tokens of clients whose credentials are secrets, fetched once and cached while they are valid. */

import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import * as z from 'zod';
import type {
  Clock,
  SecretReader,
  TokenIssuer,
  TokenReader,
  UpstreamFetch,
} from '../../platform/core/ports.ts';

export interface AccessTokenOptions {
  readonly fetch: UpstreamFetch;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
}

const REQUESTS: Readonly<Record<TokenIssuer, (secret: string, clock: Clock) => Promise<TokenRequest>>> = {
  entra: entraRequest,
  google: googleRequest,
};

/** A token is replaced this long before its end, or at half its life where that is later. */
const MARGIN_MS = 5 * 60_000;

interface CachedToken {
  /** The secret for which the token was fetched. A rotated secret gets a new token. */
  readonly secret: string;
  readonly token: Promise<string>;
  /** The same, once it is there. */
  value?: string;
  /** Milliseconds since the epoch; set once the token is there. */
  untilMs: number;
}

export interface AccessTokens {
  /**
   * Returns the token for a secret's client. It is fetched once for all waiting calls and cached until shortly before
   * its expiry. Throws an error that quotes neither secret nor token.
   */
  readonly read: TokenReader;
  /** Returns a `fetch` that drops a token after a 401 response, so that the next call gets a new one. */
  watched(fetch: UpstreamFetch): UpstreamFetch;
}

/** Unauthorized (RFC 9110, section 15.5.2). */
const UNAUTHORIZED = 401;

/** The tokens of this process. */
export function createAccessTokens({ fetch, readSecret, clock }: AccessTokenOptions): AccessTokens {
  const tokens = new Map<string, CachedToken>();
  const read: TokenReader = async (issuer, reference) => {
    const secret = await readSecret(reference);
    const name = `${issuer} ${reference}`;
    const cachedToken = tokens.get(name);
    if (cachedToken !== undefined && cachedToken.secret === secret && clock() < cachedToken.untilMs)
      return cachedToken.token;
    const fetched = REQUESTS[issuer](secret, clock).then((request) => fetchToken(fetch, request));
    const next: CachedToken = {
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
  const drop = (authorization: string | undefined) => {
    for (const [name, { value }] of tokens)
      if (value !== undefined && authorization === `Bearer ${value}`) tokens.delete(name);
  };
  return {
    read,
    watched: (upstream) => async (input, init) => {
      const response = await upstream(input, init);
      if (response.status === UNAUTHORIZED && tokens.size > 0) drop(init?.headers?.authorization);
      return response;
    },
  };
}

/** A request for a token: its issuer, as named in errors, the address, and the form that is sent there. */
interface TokenRequest {
  readonly issuer: string;
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
}

const tokenSchema = z.object({
  access_token: z.string().min(1),
  /** Seconds; a number, or from older endpoints a text. */
  expires_in: z.coerce
    .number()
    .min(1)
    .max(7 * 86_400),
});
type TokenResponse = z.infer<typeof tokenSchema>;

/** The time limit of an issuer. After it, the route fails, and another route is attempted. */
const TIMEOUT_MS = 5_000;

/** A credential goes nowhere but over TLS, or to this machine. */
const tokenAddress = z
  .url()
  .refine((url) => /^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(`${url}/`));

/** Fetches a token. Throws an error that quotes neither the request nor the response. */
async function fetchToken(fetch: UpstreamFetch, { issuer, url, form }: TokenRequest): Promise<TokenResponse> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${issuer} returned ${response.status}`);
  try {
    return tokenSchema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${issuer} returned no token`);
  }
}

/** A secret's JSON. A parser's own message would quote the secret. */
function parseCredentials<T>(schema: z.ZodType<T>, text: string, form: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`the secret is not JSON of the form ${form}`);
  }
}

/** Entra of the public cloud; those of sovereign clouds are in the docs under "National clouds". */
const PUBLIC_AUTHORITY = 'https://login.microsoftonline.com';

/** The scope of a token (Azure OpenAI docs, "How to configure Azure OpenAI with Microsoft Entra ID"). */
const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default';

/** Without `authority` and `scope` those of the public cloud. */
const entraCredentials = z.strictObject({
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,128}$/),
  client_id: z.string().min(1).max(256),
  client_secret: z.string().min(1).max(4_096),
  authority: tokenAddress.default(PUBLIC_AUTHORITY),
  scope: z.string().min(1).max(512).default(ENTRA_SCOPE),
});

/** Throws for a secret of another form, without quoting it. */
async function entraRequest(secret: string): Promise<TokenRequest> {
  const form = '{"tenant_id", "client_id", "client_secret"}';
  const client = parseCredentials(entraCredentials, secret, form);
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

/** The scope of a token (Vertex AI docs, Authentication). */
const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** The grant of RFC 7523, section 2.1. */
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const TOKEN_ADDRESS = 'https://oauth2.googleapis.com/token';

/** Seconds; the longest that an assertion may be valid. */
const VALID_SECONDS = 3_600;

/** The key file as Google Cloud gives it out; its other fields are not read. */
const googleCredentials = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1).max(512),
  private_key: z.string().min(1).max(16_384),
  private_key_id: z.string().min(1).max(256).optional(),
  token_uri: tokenAddress.default(TOKEN_ADDRESS),
});

/** Throws for a secret of another form, without quoting it. */
async function googleRequest(secret: string, clock: Clock): Promise<TokenRequest> {
  const form = '{"type": "service_account", "client_email", "private_key"}';
  const account = parseCredentials(googleCredentials, secret, form);
  const key = privateKey(account.private_key);
  const nowSeconds = Math.floor(clock() / 1_000);
  const assertion = await new SignJWT({ scope: GOOGLE_SCOPE })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(account.private_key_id === undefined ? {} : { kid: account.private_key_id }),
    })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + VALID_SECONDS)
    .sign(key);
  return { issuer: 'Google', url: account.token_uri, form: { grant_type: GRANT, assertion } };
}

/** An error of the parser may quote the key. */
function privateKey(pem: string): ReturnType<typeof createPrivateKey> {
  let key: ReturnType<typeof createPrivateKey> | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {}
  if (key?.asymmetricKeyType !== 'rsa') throw new Error('the private_key of the secret is no RSA key in PEM');
  return key;
}
