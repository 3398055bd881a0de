import { expect, it } from '@jest/globals';
import { addressOf } from './addresses.ts';

const ADDRESSES = ['/keys', '/keys/$id', '/market', '/market/$section/$id'] as const;

it.each([
  ['#/keys', '/keys'],
  ['#/keys?x=1/2', '/keys'],
  ['#/keys/key_1', '/keys/$id'],
  ['#/keys/%2F', '/keys/$id'],
  ['#/market/apps/app_1?a=b', '/market/$section/$id'],
] as const)('the address %s opens the page %s', (hash, address) => {
  expect(addressOf(ADDRESSES, hash)).toBe(address);
});

it.each(['', '#', '#/', '#/keys/', '#/keys/a/b', '#keys', '#/nowhere', '#/market/apps'])(
  'the address %j opens no page',
  (hash) => {
    expect(addressOf(ADDRESSES, hash)).toBeUndefined();
  },
);
