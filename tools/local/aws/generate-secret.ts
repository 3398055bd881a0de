/**
 * Makes the first value of a secret from its recipe.
 * Source: AWS CloudFormation reference, AWS::SecretsManager::Secret GenerateSecretString.
 */
import { randomInt } from 'node:crypto';
import type { GenerateSecretString } from '../assembly/secrets.ts';

const DEFAULT_LENGTH = 32;

const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz';
const UPPERCASE = LOWERCASE.toUpperCase();
const NUMBERS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** Returns a password, or the template with the password under its key. */
export function generateSecretString(recipe: GenerateSecretString): string {
  const password = generatePassword(recipe);
  const { SecretStringTemplate: template, GenerateStringKey: key } = recipe;
  if (template === undefined || key === undefined) return password;
  return JSON.stringify({ ...(JSON.parse(template) as Record<string, unknown>), [key]: password });
}

function generatePassword(recipe: GenerateSecretString): string {
  const excluded = new Set(recipe.ExcludeCharacters ?? '');
  const alphabets = [
    recipe.ExcludeLowercase ? '' : LOWERCASE,
    recipe.ExcludeUppercase ? '' : UPPERCASE,
    recipe.ExcludeNumbers ? '' : NUMBERS,
    recipe.ExcludePunctuation ? '' : PUNCTUATION,
    recipe.IncludeSpace ? ' ' : '',
  ]
    .map((alphabet) => [...alphabet].filter((character) => !excluded.has(character)))
    .filter((alphabet) => alphabet.length > 0);
  const length = Number(recipe.PasswordLength ?? DEFAULT_LENGTH);
  const everything = alphabets.flat();
  const required = recipe.RequireEachIncludedType === false ? [] : alphabets.map(pick);
  const rest = Array.from({ length: Math.max(0, length - required.length) }, () => pick(everything));
  return shuffle([...required, ...rest])
    .slice(0, length)
    .join('');
}

function pick(characters: readonly string[]): string {
  const character = characters[randomInt(characters.length || 1)];
  if (character === undefined) throw new Error('the recipe of a secret excludes every character');
  return character;
}

function shuffle(characters: string[]): string[] {
  for (let last = characters.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [characters[last], characters[other]] = [characters[other] ?? '', characters[last] ?? ''];
  }
  return characters;
}
