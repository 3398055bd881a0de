/**
 * Makes the first value of a secret from its recipe.
 * Source: AWS CloudFormation reference, AWS::SecretsManager::Secret GenerateSecretString.
 */
import { randomInt } from 'node:crypto';
import type { GenerateSecretString } from '../assembly/secrets.ts';

const LETTERS_AND_NUMBERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** Returns a password, or the template with the password under its key; throws an error that names what it does not know. */
export function generateSecretString({
  PasswordLength: length = 32,
  ExcludePunctuation,
  SecretStringTemplate: template,
  GenerateStringKey: key,
  ...further
}: GenerateSecretString): string {
  const [unknown] = Object.keys(further);
  if (unknown !== undefined)
    throw new Error(`the local runtime does not know ${unknown} in the recipe of a secret`);
  const alphabet = `${LETTERS_AND_NUMBERS}${ExcludePunctuation ? '' : PUNCTUATION}`;
  const characters = Array.from({ length: Number(length) }, () => alphabet[randomInt(alphabet.length)]);
  const password = characters.join('');
  if (template === undefined || key === undefined) return password;
  return JSON.stringify({ ...(JSON.parse(template) as Record<string, unknown>), [key]: password });
}
