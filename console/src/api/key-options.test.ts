import { expect, it } from '@jest/globals';
import { keyOptions } from './key-options.ts';

it('offers the keys of the account by their names, then each revoked key of the calls once', () => {
  const keys = [{ id: 'key_1', name: 'laptop' }];
  const calls = [
    { api_key: 'key_0A7F', key_name: 'Playground' },
    { api_key: 'key_1', key_name: 'laptop' },
    { api_key: 'key_0A7F', key_name: 'Playground' },
    { api_key: 'key_0A7G', key_name: 'Playground' },
  ];
  expect(keyOptions(keys, calls)).toEqual([
    ['key_1', 'laptop'],
    ['key_0A7F', 'Playground (revoked, …0A7F)'],
    ['key_0A7G', 'Playground (revoked, …0A7G)'],
  ]);
  expect(keyOptions(undefined, calls)).toEqual([]);
});
