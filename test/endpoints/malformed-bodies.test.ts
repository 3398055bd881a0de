import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type * as z from 'zod';
import {
  createKeyRequest,
  rotateKeyRequest,
  updateKeyRequest,
} from '../../lambdas/access/core/keys/key-requests.ts';
import { signInRequest, signOutRequest } from '../../lambdas/access/core/sessions/session-requests.ts';
import { newRelease, newReview, purchaseRequest } from '../../lambdas/marketplace/core/listings/activity.ts';
import { listingChange, newListing } from '../../lambdas/marketplace/core/listings/fields.ts';
import { createOrderRequest } from '../../lambdas/payments/core/order-requests.ts';
import { ServiceError } from '../../lambdas/platform/core/errors.ts';
import { readOptionalJson, validate } from '../../lambdas/platform/core/json/json-body.ts';
import {
  createSchema,
  recoverSchema,
  testSchema,
  updateSchema,
} from '../../lambdas/webhooks/core/request.ts';
import { it } from '../../tools/test-kit/search.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';

const SCHEMAS: Readonly<Record<string, z.ZodObject>> = {
  newListing,
  listingChange,
  newReview,
  newRelease,
  purchaseRequest,
  createKeyRequest,
  updateKeyRequest,
  rotateKeyRequest,
  createOrderRequest,
  signInRequest,
  signOutRequest,
  createSchema,
  updateSchema,
  testSchema,
  recoverSchema,
};

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('__proto__', 'constructor', '-0', '1e999', '9'.repeat(40), '\ud800', '\u0000', '', ' '),
  fc.constantFrom(-1, 0, 1.5, 2 ** 53, -(2 ** 31), 1e21, 1e-9, true, null),
);

/** Objects with some of the fields that there are, and others. */
const bodyOf = (schema: z.ZodObject) => {
  const names = fc.constantFrom(...Object.keys(schema.shape), 'policy', '__proto__', 'toString');
  return fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(names, value).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.json().map((text) => text.slice(0, -1)) },
    { weight: 1, arbitrary: names.map((name) => `{"${name}":1,"${name}":12345678901234567890}`) },
  );
};

async function outcome(schema: z.ZodObject, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const request = new Request('https://localhost/', { method: 'POST', headers, body });
  try {
    validate(schema, await readOptionalJson(request));
    return 200;
  } catch (failure) {
    if (!(failure instanceof ServiceError)) throw failure;
    expect(failure.message.length).toBeLessThan(1000);
    return failure.status;
  }
}

describe.each(Object.entries(SCHEMAS))('a body for %s', (_name, schema) => {
  it('passes validation or causes 400, whatever it contains', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(bodyOf(schema), async (body) => {
        const status = await outcome(schema, body);
        expect([200, 400]).toContain(status);
        statuses.add(status);
      }),
      { numRuns: rounds(120) },
    );
    expect(statuses.has(400)).toBe(true);
  });
});
