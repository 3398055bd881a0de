/** The header `x-ignored-fields`: the fields and parameters of a request that have no effect. */
import type * as z from 'zod';

/** Limits of the header, so that a request with many unknown names cannot make it larger than clients and proxies accept. */
const MAX_NAMES = 20;
const MAX_BYTES = 1_024;

/** Returns the header: percent-encoded names, then `...` if there are more than it holds. No names, no header. */
export function ignoredFieldsHeader(names: ReadonlySet<string>): Record<string, string> {
  if (names.size === 0) return {};
  let value = '';
  let count = 0;
  for (const name of names) {
    // A lone surrogate has no encoding.
    const next = `${value === '' ? '' : `${value},`}${encodeURIComponent(name.toWellFormed())}`;
    if (count === MAX_NAMES || next.length > MAX_BYTES) {
      value = value === '' ? ELLIPSIS : `${value},${ELLIPSIS}`;
      break;
    }
    value = next;
    count += 1;
  }
  return { 'x-ignored-fields': value };
}

const ELLIPSIS = '...';

/** Returns the header for the parameters of a query that its schema does not have. */
export const ignoredParametersHeader = (query: object, { shape }: z.ZodObject) =>
  ignoredFieldsHeader(new Set(Object.keys(query).filter((name) => !Object.hasOwn(shape, name))));
