import { describe, expect, it } from '@jest/globals';
import type { Grants } from '../../lambdas/platform/contract/grants.ts';
import { unionOf } from './union-of-grants.ts';

describe('the union of grants', () => {
  it('lists each action of a table, each index and each queue once', () => {
    const one: Grants = {
      tables: { keys: ['GetItem', 'UpdateItem'], wallets: ['GetItem'] },
      indexes: [{ table: 'keys', name: 'by-account' }],
      sends: ['deliveries'],
    };
    const other: Grants = {
      tables: { keys: ['UpdateItem', 'PutItem'], usage: ['PutItem'] },
      indexes: [{ table: 'keys', name: 'by-account' }],
      sends: ['deliveries', 'retries'],
    };
    expect(unionOf([one, other])).toEqual({
      tables: { keys: ['GetItem', 'UpdateItem', 'PutItem'], wallets: ['GetItem'], usage: ['PutItem'] },
      indexes: [{ table: 'keys', name: 'by-account' }],
      sends: ['deliveries', 'retries'],
    });
  });

  it('contains each grant that one of them has, and no other', () => {
    expect(unionOf([{ keyPepper: true }, { holds: true, settlements: true }, {}])).toEqual({
      tables: {},
      keyPepper: true,
      holds: true,
      settlements: true,
    });
    expect(unionOf([])).toEqual({ tables: {} });
  });

  it('rejects the reader of a stream, because Lambda itself reads in its role', () => {
    const follower: Grants = { follows: { table: 'listings', dead: 'deadChanges' } };
    expect(() => unionOf([{}, follower])).toThrow('cannot be served by a host');
  });
});
