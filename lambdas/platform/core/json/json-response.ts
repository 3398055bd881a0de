/** Returns a JSON response. */
import type { TextResponse } from '../ports.ts';

export const jsonResponse = (
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): TextResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  text: JSON.stringify(body),
});
