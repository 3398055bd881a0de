import { expect, it } from '@jest/globals';
import { identityKey } from './sign-in.ts';

const GITHUB = 'https://github.com';

it('the key of an identity never changes, or its account would be lost', async () => {
  expect(await identityKey({ issuer: GITHUB, subject: '583231' })).toBe(
    '853150b0184bf908f31e13302be3f6fac8094703252e44bbd5ba26e11af36d75',
  );
});

it('the same subject counts as two identities for two issuers', async () => {
  const keys = await Promise.all(
    [GITHUB, 'https://github.com\n'].map((issuer) => identityKey({ issuer, subject: '583231' })),
  );
  expect(new Set(keys).size).toBe(2);
});
