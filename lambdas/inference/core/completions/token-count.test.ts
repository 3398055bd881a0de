import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { formatKey } from '../../../access/core/keys/api-key.ts';
import { overloaded, type ServiceError } from '../../../platform/core/errors.ts';
import { createTokenCount, type TokenCountDependencies } from './token-count.ts';

const PEPPERS = { current: 'a pepper of this test' };
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const KEY = formatKey({ accountId: `acc_${ULID}`, keyId: `key_${ULID}`, secret: '0'.repeat(40) }, PEPPERS);

/** Counts for an account while many bodies arrive. Returns what happened, in order. */
async function count(hasCredit: boolean) {
  const steps: string[] = [];
  const endpoint = createTokenCount(
    {
      format: {
        toPayload: () => {
          throw new Error('nothing is read');
        },
      },
      schema: z.never(),
      bodyOf: () => ({}),
    },
    {
      peppers: async () => PEPPERS,
      gate: { checked: (_key: unknown, check: () => Promise<unknown>) => check() },
      requireCredit: async ({ accountId }: { readonly accountId: string }) => {
        steps.push(`credit of ${accountId}`);
        if (!hasCredit) throw overloaded();
      },
    } as unknown as TokenCountDependencies,
  );
  const request = {
    method: 'POST',
    url: 'http://localhost/',
    headers: new Headers({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }),
    body: null,
    text: async () => {
      steps.push('read');
      return 'no JSON';
    },
  };
  const failure = await endpoint(request, {
    requestId: 'req_1',
    remainingTimeMs: () => 1_000,
    pathParameters: {},
    body: { isLarge: false, claim: () => true, prove: () => void steps.push('prove'), sent: () => {} },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  }).catch((reason: ServiceError) => reason.code);
  return [...steps, failure];
}

describe('a token count, while so many bodies arrive that credit must be proven', () => {
  it('reads the body of an account that has credit, and counts the account no more as one without credit', async () => {
    expect(await count(true)).toEqual([`credit of acc_${ULID}`, 'prove', 'read', 'invalid_json']);
  });

  it('leaves that of an account without credit unread', async () => {
    expect(await count(false)).toEqual([`credit of acc_${ULID}`, 'overloaded']);
  });
});
