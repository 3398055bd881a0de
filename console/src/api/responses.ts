/** Responses of the service as the console uses them: amounts of money to the last digit that was sent. */
import type { RawJson } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { AMOUNTS } from './amounts.ts';
import { parseUsd } from './money.ts';

/** A response as the console uses it: amounts are `bigint` nano-USD, parsed from the exact digits that were sent. */
export type ConsoleValue<T> = T extends RawJson
  ? bigint
  : T extends readonly (infer E)[]
    ? ConsoleValue<E>[]
    : T extends object
      ? { [K in keyof T]: ConsoleValue<T[K]> }
      : T;

interface Source {
  readonly source?: string;
}

/** A number of a response, and its own digits. Browsers without them use the number, exact below 4 million USD. */
class SentNumber {
  readonly value: number;
  readonly digits: string;

  constructor(value: number, digits = value.toFixed(9)) {
    this.value = value;
    this.digits = digits;
  }
}

const revive = (_key: string, value: unknown, context?: Source): unknown =>
  typeof value === 'number' ? new SentNumber(value, context?.source) : value;

const OPERATIONS = Object.entries(AMOUNTS).map(([operation, paths]) => ({
  pattern: new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  paths: new Set(paths.split(' ')),
}));

/** Parses the response of an operation, such as `GET /api/orders`. Its amounts in USD, by the API's schemas, are `bigint`. */
export function parseResponse(operation: string, text: string): unknown {
  const amounts = OPERATIONS.find(({ pattern }) => pattern.test(operation))?.paths;
  const read = (value: unknown, path: string): unknown => {
    if (value instanceof SentNumber) return amounts?.has(path) ? parseUsd(value.digits) : value.value;
    if (Array.isArray(value)) return value.map((each) => read(each, path));
    if (typeof value !== 'object' || value === null) return value;
    const start = path === '' ? '' : `${path}.`;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, read(inner, start + key)]));
  };
  return read(JSON.parse(text, revive as (key: string, value: unknown) => unknown), '');
}
