import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../test-kit/search.ts';
import { generateSecretString } from './generate-secret.ts';

describe('a generated secret', () => {
  it('matches the length and the characters that its recipe allows', () => {
    const recipes = fc.record({
      ExcludeLowercase: fc.boolean(),
      ExcludeUppercase: fc.boolean(),
      ExcludePunctuation: fc.boolean(),
      IncludeSpace: fc.boolean(),
      PasswordLength: fc.integer({ min: 5, max: 80 }),
      ExcludeCharacters: fc.constantFrom('', '01"@/\\', 'abcXYZ'),
    });
    fc.assert(
      fc.property(recipes, (recipe) => {
        const secret = generateSecretString(recipe);
        expect(secret).toHaveLength(recipe.PasswordLength);
        if (recipe.ExcludeLowercase) expect(secret).not.toMatch(/[a-z]/);
        if (recipe.ExcludeUppercase) expect(secret).not.toMatch(/[A-Z]/);
        if (recipe.ExcludePunctuation) expect(secret).toMatch(/^[a-zA-Z0-9 ]*$/);
        expect([...secret].some((character) => recipe.ExcludeCharacters.includes(character))).toBe(false);
        expect(secret).toMatch(/[0-9]/);
        expect(/ /.test(secret)).toBe(recipe.IncludeSpace);
      }),
    );
  });

  it('goes into its template under the key', () => {
    const secret = generateSecretString({
      SecretStringTemplate: '{"user":"me"}',
      GenerateStringKey: 'password',
      PasswordLength: 12,
    });
    expect(JSON.parse(secret)).toEqual({ user: 'me', password: expect.stringMatching(/^.{12}$/) });
  });

  it('differs from the last one', () => {
    expect(generateSecretString({})).not.toBe(generateSecretString({}));
  });
});
