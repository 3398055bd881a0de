/** Checks that a request is signed the way AWS requires; the secret is unknown here, so the signature itself is not verified. */
import type { RequestHead } from '../exchange/reply.ts';

const SCHEME = 'AWS4-HMAC-SHA256 ';
/** Key id, date, region, service. */
const CREDENTIAL = /Credential=[^/, ]+\/\d{8}\/[a-z0-9-]+\/([a-z0-9-]+)\/aws4_request(?:,|$)/u;
const SIGNED_HEADERS = /SignedHeaders=([^, ]+)(?:,|$)/u;
const SIGNATURE = /Signature=[0-9a-f]{64}(?:,|$)/u;

/** The type of the error with which a service refuses the request; undefined when its signature has the right form. */
export function signatureError({ headers }: RequestHead, expected = 'bedrock'): string | undefined {
  const { authorization, 'x-amz-date': date } = headers;
  if (typeof authorization !== 'string' || !authorization.startsWith(SCHEME))
    return 'MissingAuthenticationTokenException';
  const service = CREDENTIAL.exec(authorization)?.[1];
  const signed = SIGNED_HEADERS.exec(authorization)?.[1]?.split(';') ?? [];
  if (service === undefined || !SIGNATURE.test(authorization)) return 'IncompleteSignatureException';
  if (service !== expected) return 'InvalidSignatureException';
  const isComplete = date !== undefined && signed.includes('host') && signed.includes('x-amz-date');
  return isComplete ? undefined : 'IncompleteSignatureException';
}
