import { expect, it } from '@jest/globals';
import { problemText } from './problem-text.ts';

const LABELS = { amount: 'Amount, USD', 'policy.rpm': 'Requests a minute' };

it.each([
  ['amount: must be more.', 'amount', 'Amount, USD: must be more.'],
  ['policy.rpm: must be a whole number.', 'policy.rpm', 'Requests a minute: must be a whole number.'],
  ['The amount is too small.', 'amount', 'The amount is too small.'],
  ['constructor: is unknown.', 'constructor', 'constructor: is unknown.'],
  ['The service is overloaded.', null, 'The service is overloaded.'],
])('names the field of %j as its form does', (message, param, shown) => {
  expect(problemText({ message, param }, LABELS)).toBe(shown);
});

it("leaves an error that is not the service's as it is", () => {
  expect(problemText(new Error('Choose a file.'), LABELS)).toBe('Choose a file.');
});
