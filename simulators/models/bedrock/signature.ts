/** Checks that a request is signed the way AWS asks for; the secret is unknown here, so the signature itself is believed. */
import type { RequestHead } from '../exchange/reply.ts';
import type { AwsError } from './validation-error.ts';

const SCHEME = 'AWS4-HMAC-SHA256 ';
/** Key id, date, region, service. */
const CREDENTIAL = /Credential=[^/, ]+\/\d{8}\/[a-z0-9-]+\/([a-z0-9-]+)\/aws4_request(?:,|$)/u;
const SIGNED_HEADERS = /SignedHeaders=([^, ]+)(?:,|$)/u;
const SIGNATURE = /Signature=[0-9a-f]{64}(?:,|$)/u;
/** What must be signed, beside whatever else is. */
const MUST_BE_SIGNED = ['host', 'x-amz-date'];

const incomplete = (message: string): AwsError => ({ type: 'IncompleteSignatureException', message });

/** Why the request is refused, with status 403; undefined when its signature has the right form. */
export function signatureError({ headers }: RequestHead): AwsError | undefined {
  const { authorization, 'x-amz-date': date } = headers;
  if (typeof authorization !== 'string' || !authorization.startsWith(SCHEME))
    return { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' };
  const service = CREDENTIAL.exec(authorization)?.[1];
  const signed = SIGNED_HEADERS.exec(authorization)?.[1]?.split(';') ?? [];
  if (service === undefined || signed.length === 0 || !SIGNATURE.test(authorization))
    return incomplete(
      "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters.",
    );
  if (service !== 'bedrock')
    return {
      type: 'InvalidSignatureException',
      message: "Credential should be scoped to correct service: 'bedrock'.",
    };
  if (date === undefined || MUST_BE_SIGNED.some((name) => !signed.includes(name)))
    return incomplete("'Host' and 'X-Amz-Date' must be a 'SignedHeader' in the AWS Authorization.");
  return undefined;
}
