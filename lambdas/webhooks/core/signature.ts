/** The signatures of a delivery: the interface's own header, and the three of the Standard Webhooks specification. */
import { createHmac } from 'node:crypto';

/** The prefix of a signing secret. The base64 of its bytes follows. */
export const SECRET_PREFIX = 'whsec_';

/** Standard Webhooks requires 24 to 64 bytes. */
export const SIGNING_SECRET_BYTES = 32;

export interface SignatureHeaders {
  /** The event's id, the same in every delivery of it. */
  readonly id: string;
  /** The time of this attempt, seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
  /** Every active secret, the current one first; each signs. */
  readonly secrets: readonly string[];
}

/** The interface, like Stripe, uses the secret's text as the key. */
function hexSignature({ timestamp, body }: SignatureHeaders, secret: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

/** Standard Webhooks uses the decoded bytes after the prefix as the key, and signs the id too. */
function base64Signature({ id, timestamp, body }: SignatureHeaders, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}

/**
 * Returns the headers that authenticate a delivery. Sources: the interface, Webhooks; github.com/standard-webhooks,
 * spec.
 */
export function signatureHeaders(signed: SignatureHeaders): Record<string, string> {
  const { id, timestamp, secrets } = signed;
  const serviceSignatures = secrets.map((secret) => `v1=${hexSignature(signed, secret)}`);
  return {
    'X-service-Signature': [`t=${timestamp}`, ...serviceSignatures].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${base64Signature(signed, secret)}`).join(' '),
  };
}
