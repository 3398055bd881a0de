import { describe, expect, it } from '@jest/globals';
import { generateSecretString } from './generate-secret.ts';

describe('a generated secret', () => {
  it('matches the length and the characters that its recipe allows, under its key in its template', () => {
    expect(generateSecretString({ PasswordLength: 500, ExcludePunctuation: true })).toMatch(
      /^[a-zA-Z0-9]{500}$/,
    );
    expect(generateSecretString({ PasswordLength: 500 })).toMatch(/[^a-zA-Z0-9 ]/);
    const template = { SecretStringTemplate: '{"user":"me"}', GenerateStringKey: 'password' };
    const secret = JSON.parse(generateSecretString(template));
    expect(secret).toEqual({ user: 'me', password: expect.stringMatching(/^[!-~]{32}$/) });
  });

  it('differs from the last one', () => {
    expect(generateSecretString({})).not.toBe(generateSecretString({}));
  });

  it('causes an error if its recipe has more', () => {
    const recipe = { IncludeSpace: true } as object;
    expect(() => generateSecretString(recipe)).toThrow('IncludeSpace');
  });
});
