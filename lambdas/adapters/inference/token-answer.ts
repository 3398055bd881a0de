/** How an access token is asked for, whoever gives it (RFC 6749, sections 4.4.2 and 5.1). */
import * as z from 'zod';

/** What gives a token: the address, the form that is sent there, and its name in errors. */
export interface TokenRequest {
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
export type TokenAnswer = z.infer<typeof tokenSchema>;

/** An issuer that does not answer by then is not waited for: the route fails, and another serves. */
const TIMEOUT_MS = 5_000;

/** A credential goes nowhere but over TLS, or to this machine. */
export const tokenAddress = z
  .url()
  .refine((url) => /^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(`${url}/`));

/** Throws an error that quotes neither what was sent nor what was answered. */
export async function fetchToken(
  fetch: typeof globalThis.fetch,
  { issuer, url, form }: TokenRequest,
): Promise<TokenAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${issuer} answered ${response.status}`);
  try {
    return tokenSchema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${issuer} answered without a token`);
  }
}

/** A secret's JSON. A parser's own message would quote the secret. */
export function parseCredentials<T>(schema: z.ZodType<T>, text: string, form: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`the secret is not JSON of the form ${form}`);
  }
}
