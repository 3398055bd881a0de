/** The words for a field that breaks a schema. A message follows the path of its field: `n: must be at most 4`. */
import type * as z from 'zod';

/** A fault of a value that has the right shape: the path of its field, and the message. */
export interface FieldFault {
  readonly path: string | readonly (string | number)[];
  readonly message: string;
}

/** The refinement of a schema that reports these faults of its values. */
export const without =
  <T>(faultsOf: (value: T) => Iterable<FieldFault>) =>
  (value: T, context: z.core.$RefinementCtx): void => {
    for (const { path, message } of faultsOf(value))
      context.addIssue({ code: 'custom', path: [path].flat(), message });
  };

/** Nouns for the types that schemas expect. A type that is not here keeps zod's name for it. */
const NOUNS = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
]);

/** Units of the length of a value. */
const UNITS = new Map([
  ['string', 'character'],
  ['array', 'item'],
  ['set', 'item'],
  ['map', 'entry'],
]);

/**
 * Returns the message of a fault for whose schema no message was written; undefined leaves the words to zod. Values of
 * the request are not repeated.
 */
export function describeFault(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_union':
      return Array.isArray(issue.options)
        ? `must be ${oneOf(issue.options)}`
        : 'has none of the accepted forms';
    case 'too_big':
      return describeBound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'too_small':
      if (issue.minimum === 1 && UNITS.has(issue.origin)) return 'must not be empty';
      return describeBound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `may not have the field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    default:
      return undefined;
  }
}

type Bound = z.core.$ZodRawIssue & { readonly origin: string; readonly exact?: boolean };

function describeBound({ origin, exact }: Bound, limit: number | bigint, relation: string): string {
  const unit = UNITS.get(origin);
  const bound = `${exact === true ? 'exactly' : relation} ${limit}`;
  if (unit === undefined) return `must be ${bound}`;
  return `must have ${bound} ${unit}${Number(limit) === 1 ? '' : 's'}`.replace(/entrys$/, 'entries');
}

function oneOf(values: readonly unknown[]): string {
  const [only, ...others] = values.map(String);
  return others.length === 0 ? String(only) : `one of ${[only, ...others].join(', ')}`;
}
