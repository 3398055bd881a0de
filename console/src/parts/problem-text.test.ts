import { expect, it } from '@jest/globals';
import { problemText } from './problem-text.ts';

const LABELS = { amount: 'Amount, USD', 'policy.rpm': 'Requests a minute' };

it.each([
  ['amount: must be more.', 'amount', 'Amount, USD: must be more.'],
  ['policy.rpm: must be a whole number.', 'policy.rpm', 'Requests a minute: must be a whole number.'],
  ['The amount is too small.', 'amount', 'The amount is too small.'],
  ['constructor: is unknown.', 'constructor', 'constructor: is unknown.'],
  ['The service is overloaded.', null, 'The service is overloaded.'],
])('an error at %j names the field by its label in the form', (message, param, shown) => {
  expect(problemText({ message, param }, LABELS)).toBe(shown);
});

it('an error from another source than the service stays unchanged', () => {
  expect(problemText(new Error('Choose a file.'), LABELS)).toBe('Choose a file.');
});
