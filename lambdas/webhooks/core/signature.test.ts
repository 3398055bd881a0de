import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { newSigningSecret } from '../store/signing-secret-store.ts';
import { signatureHeaders } from './signature.ts';

const OLD = newSigningSecret();
const NEW = newSigningSecret();
const now = () => Math.floor(Date.now() / 1000);
const body =
  '{"id":"evt_1","type":"review.created","created":"2026-11-21T05:00:00Z","data":{"text":"gut – 好"}}';

type Headers = Record<string, string>;

/** The verification code of a receiver for each official package, unchanged. */
const VERIFIERS: readonly (readonly [string, (text: string, headers: Headers, secret: string) => unknown])[] =
  [
    [
      'stripe',
      (text, headers, secret) =>
        Stripe.webhooks.constructEvent(text, headers['X-service-Signature'] ?? '', secret),
    ],
    ['svix', (text, headers, secret) => new SvixWebhook(secret).verify(text, headers)],
    ['standardwebhooks', (text, headers, secret) => new StandardWebhook(secret).verify(text, headers)],
  ];

const signed = (secrets: readonly string[], timestamp = now()) =>
  signatureHeaders({ id: 'evt_1', timestamp, body, secrets });

describe('a signature', () => {
  it('equals the lowercase hex HMAC-SHA256 of timestamp, dot and body, keyed with the secret as it was shown', () => {
    const { 'X-service-Signature': header } = signed([NEW], 1_700_000_000);
    const expected = createHmac('sha256', NEW).update(`1700000000.${body}`).digest('hex');
    expect(header).toBe(`t=1700000000,v1=${expected}`);
    expect(expected).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(VERIFIERS)(
    'passes verification by the unchanged package %s, with either secret while one replaces the other',
    (_name, verify) => {
      expect(() => verify(body, signed([NEW]), NEW)).not.toThrow();
      const headers = signed([NEW, OLD]);
      expect(headers['X-service-Signature']?.match(/v1=/g)).toHaveLength(2);
      expect(() => verify(body, headers, NEW)).not.toThrow();
      expect(() => verify(body, headers, OLD)).not.toThrow();
    },
  );

  it.each(VERIFIERS)(
    'fails verification by %s for a changed byte, an old time and another secret',
    (_name, verify) => {
      const headers = signed([NEW]);
      expect(() => verify(body.replace('gut', 'gUt'), headers, NEW)).toThrow();
      expect(() => verify(`${body} `, headers, NEW)).toThrow();
      expect(() => verify(body, signed([NEW], now() - 301), NEW)).toThrow();
      expect(() => verify(body, headers, OLD)).toThrow();
      expect(() => verify(body, signed([OLD]), NEW)).toThrow();
    },
  );

  it.each(VERIFIERS.slice(1))('fails verification by %s for another id', (_name, verify) => {
    expect(() => verify(body, { ...signed([NEW]), 'webhook-id': 'evt_2' }, NEW)).toThrow();
  });
});

describe('a secret', () => {
  it('consists of whsec_ and 32 random bytes in base64', () => {
    expect(NEW).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(NEW).not.toBe(OLD);
  });
});
