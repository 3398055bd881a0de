import { describe, expect, it } from '@jest/globals';
import type { Operator } from '../operator.ts';
import { storeSmokeKey } from './steps.ts';

/** A service without a key for its scheduled smoke test. */
function service() {
  const stored: object[] = [];
  const operator = {
    addresses: async () => ({ inference: 'https://inference.example', platform: 'https://platform.example' }),
    openAccount: async () => 'acc_1',
    wallet: async () => ({ balance: 0n }),
    grant: async () => {},
    createKey: async () => ({ keyId: 'key_1', key: 'uis_1' }),
    smokeAccess: {
      name: () => 'prod/smoke',
      read: async () => stored.at(-1),
      store: async (access: object) => void stored.push(access),
    },
  } as unknown as Operator;
  return { operator, stored };
}

describe('the key of the scheduled smoke test', () => {
  it('results from the first run of up, and from no other', async () => {
    const { operator, stored } = service();
    expect(await storeSmokeKey(operator)).toContain('prod/smoke');
    expect(await storeSmokeKey(operator)).toContain('an earlier run');
    expect(stored).toEqual([expect.objectContaining({ key: 'uis_1', platform: 'https://platform.example' })]);
  });
});
