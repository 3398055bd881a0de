/** Pages of listings and of what happens to them: how a caller asks for one and goes on to the next. */
import * as z from 'zod';
import { category, listingKind } from './fields.ts';
import type { Page } from './ports.ts';

const DEFAULT_LIMIT = 20;

/** The most that one read of DynamoDB by keys gives (BatchGetItem). */
export const MAX_LIMIT = 100;

export const limitParameter = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .refine((count) => count >= 1 && count <= MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`)
  .default(DEFAULT_LIMIT);

/** Opaque to callers: the id of the entry that the page before ended with. */
export const cursorParameter = z
  .string()
  .max(200)
  .transform((value) => Buffer.from(value, 'base64url').toString('utf8'))
  .refine((id) => id !== '' && !id.includes('\ufffd'), 'must be the next_cursor of an earlier page');

export const pageQuery = z.object({ limit: limitParameter, cursor: cursorParameter.optional() });

export const listingQuery = pageQuery.extend({ category: category.optional() });

export const kindParameter = listingKind;

export function pageBody<T>({ entries, next }: Page<T>, entryOf: (entry: T) => unknown) {
  return {
    object: 'list',
    data: entries.map(entryOf),
    next_cursor: next === undefined ? null : Buffer.from(next, 'utf8').toString('base64url'),
  };
}

/** The query of a request; of a parameter that is given twice, the last one counts. */
export const queryOf = (request: Request): Record<string, string> =>
  Object.fromEntries(new URL(request.url).searchParams);
