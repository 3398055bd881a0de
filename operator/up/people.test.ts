import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../lib/config/config.ts';
import { peopleLines } from './people.ts';

const GOOGLE = { google: { type: 'oidc', issuer: 'https://accounts.google.com', audience: 'client' } };

const SIGN_IN = /^nobody can sign in to the console: set identityProviders .*docs\/operate\/sign-in\.md/;

describe('the last lines of up', () => {
  it.each([
    ['without both', {}, false, [SIGN_IN, /^nobody can pay: store the keys of Stripe .* --stage prod$/]],
    ['with sign-in', { identityProviders: GOOGLE }, false, [/^nobody can pay/]],
    ['with payments', {}, true, [SIGN_IN]],
    ['with both', { identityProviders: GOOGLE }, true, []],
    ['if the secret cannot be read', {}, undefined, [SIGN_IN, /^unknown if people can pay/]],
  ])('say what people still need: %s', async (_, settings, isConfigured, expected) => {
    const payments = {
      reconcile: () => Promise.reject(new Error('unexpected')),
      isConfigured: async () => {
        if (isConfigured === undefined) throw new Error('AccessDeniedException');
        return isConfigured;
      },
    };
    const lines = await peopleLines(payments, parseConfig(settings));
    expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)));
  });
});
