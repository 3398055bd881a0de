import { describe, expect, it } from '@jest/globals';
import { deliverFirstKey } from './first-account.ts';

const ACCOUNT = 'acc_01M8CKJP29Y6VV5GY31NRTQWBT';
const KEY = 'key_01M8CKJP29Y6VV5GY31NRTQWBT';

/** The keys of a service: each with its name and the number of its secrets. */
function service() {
  const keys = new Map<string, { name: string; secrets: number }>();
  const textOf = (id: string) => `${id}, secret ${keys.get(id)?.secrets}`;
  const operator = {
    findKey: async (id: string) => keys.get(id),
    createKey: async (_account: string, name: string, _policy: object, id = '') => {
      keys.set(id, { name, secrets: 1 });
      return { keyId: id, key: textOf(id) };
    },
    replaceSecret: async (_account: string, id: string) => {
      const key = keys.get(id);
      if (key !== undefined) key.secrets += 1;
      return textOf(id);
    },
    renameKey: async (_account: string, id: string, name: string) => {
      keys.set(id, { secrets: keys.get(id)?.secrets ?? 0, name });
    },
  } as unknown as Parameters<typeof deliverFirstKey>[0];
  return { keys, operator };
}

describe('the first key', () => {
  it('comes from the first run, and from no later one', async () => {
    const { keys, operator } = service();
    const delivered: string[] = [];
    const deliver = (key: string) => void delivered.push(key);
    expect(await deliverFirstKey(operator, ACCOUNT, deliver)).toBe(true);
    expect(await deliverFirstKey(operator, ACCOUNT, deliver)).toBe(false);
    expect([[...keys.keys()], delivered]).toEqual([[KEY], [`${KEY}, secret 1`]]);
  });

  it('gets another secret if its text reached nobody', async () => {
    const { keys, operator } = service();
    const fails = () => Promise.reject(new Error('no secret can be created'));
    await expect(deliverFirstKey(operator, ACCOUNT, fails)).rejects.toThrow('no secret');
    const delivered: string[] = [];
    expect(await deliverFirstKey(operator, ACCOUNT, (key) => void delivered.push(key))).toBe(true);
    expect([[...keys.keys()], delivered]).toEqual([[KEY], [`${KEY}, secret 2`]]);
  });
});
