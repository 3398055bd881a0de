import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatKey } from '../../lambdas/core/access/api-key.ts';
import type { ReplayStore } from '../../lambdas/core/idempotency/ports.ts';
import type { Ledger } from '../../lambdas/core/ledger/admission.ts';
import type { KeyGate } from '../../lambdas/core/ledger/key-gate.ts';
import type { Outcome } from '../../lambdas/core/ledger/usage-record.ts';
import { PEPPERS, type Service, type SurfaceName, startService } from '../fuzz/running-service.ts';
import { fuzz } from '../fuzz/spoiled-requests.ts';
import { VALID } from '../fuzz/valid-requests.ts';

/** Of each surface. */
const REQUESTS = 5_000;

/** Answers of each kind that the upstream works out. */
const ANSWERS = 8;

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const CREDENTIAL = formatKey(
  { accountId: `acc_${ULID}`, keyId: `key_${ULID}`, secret: '0'.repeat(40) },
  PEPPERS,
);

/** Takes every call and keeps count; the ledger itself is fuzzed on its engine, with fewer requests. */
class Count {
  readonly open = new Map<string, bigint>();
  negative = 0;

  readonly ledger = {
    admit: async ({ requestId, amount }: { readonly requestId: string; readonly amount: bigint }) => {
      if (amount < 0n) this.negative += 1;
      this.open.set(requestId, amount);
      return {
        hold: { amount },
        headers: {},
        settle: async (record: Outcome) => {
          this.open.delete(requestId);
          const { inputUnits, outputUnits, cost } = record;
          if (cost < 0n || !Number.isFinite(inputUnits) || !Number.isFinite(outputUnits)) this.negative += 1;
          return { record, balance: 0n };
        },
      };
    },
  } as unknown as Ledger;

  readonly gate = {
    checked: (_key: unknown, check: () => Promise<unknown>) => check(),
    touch: async () => ({ headers: {} }),
  } as unknown as KeyGate;

  readonly store = {} as ReplayStore;
}

const count = new Count();
let service: Service;

beforeAll(async () => {
  service = await startService(count, ANSWERS);
});
afterAll(() => service.stop());

describe.each(Object.keys(VALID) as SurfaceName[])('malformed requests to %s', (name) => {
  it('are answered or refused in the right words, soon, and none stays held', async () => {
    const { faults, statuses } = await fuzz(service, name, { requests: REQUESTS, credentials: [CREDENTIAL] });
    expect(faults.slice(0, 5)).toEqual([]);
    // Mutants that are all refused, or all taken, would try half of the service.
    expect(statuses).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number) });
    expect({ open: count.open, negative: count.negative }).toEqual({ open: new Map(), negative: 0 });
  }, 300_000);
});
