import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { KeyGate } from '../../lambdas/access/core/keys/key-gate.ts';
import { it } from '../../tools/test-kit/search.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { type Service, type SurfaceName, startService } from '../fuzz/running-service.ts';
import { fuzz } from '../fuzz/spoiled-requests.ts';
import { VALID } from '../fuzz/valid-requests.ts';
import { Wire } from '../fuzz/wire.ts';

/** To each API format; `THOROUGH=10` sends 5,000. */
const REQUESTS = rounds(500);

/** Answers of each kind that the upstream works out. */
const RESPONSES = 8;

const count = new CountingTill();
let service: Service;

beforeAll(async () => {
  service = await startService(count, new Wire(RESPONSES));
});
afterAll(() => service.stop());

describe.each(Object.keys(VALID) as SurfaceName[])('malformed requests to %s', (name) => {
  it('receive a response or an error in the right envelope within the time limit, and leave no open hold', async () => {
    const { faults, statuses } = await fuzz(service, name, {
      requests: REQUESTS,
      credentials: [CREDENTIAL],
    });
    expect(faults.slice(0, 5)).toEqual([]);
    // Mutants that are all refused, or all taken, would try half of the service.
    expect(statuses).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number) });
    expect({ open: count.open, negative: count.negative }).toEqual({ open: new Map(), negative: 0 });
  });
});

describe('the fuzz', () => {
  async function fuzzed(till: CountingTill) {
    const broken = await startService(till, new Wire(1));
    const { faults } = await fuzz(broken, 'chat', { requests: 50, credentials: [CREDENTIAL] });
    await broken.stop();
    return faults;
  }

  it('detects a service that fails', async () => {
    class FailingTill extends CountingTill {
      override readonly gate = {
        checked: () => Promise.reject(new TypeError('broken')),
      } as unknown as KeyGate;
    }
    expect(await fuzzed(new FailingTill())).toContainEqual(expect.stringMatching(/^status 500/));
  });

  it('detects a ledger that loses its holds', async () => {
    const till = new CountingTill();
    till.settles = false;
    await fuzzed(till);
    expect(till.open.size).toBeGreaterThan(0);
  });
});
