/** Pages of lists: a limit, and a cursor that is the id the next page comes after. */
import * as z from 'zod';

export const DEFAULT_LIMIT = 20;

const limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .refine((count) => count >= 1 && count <= 100, 'must be from 1 to 100');

const cursor = (prefix: string) =>
  z
    .string()
    .transform((value) => Buffer.from(value, 'base64url').toString('latin1'))
    .refine(
      (id) => new RegExp(`^${prefix}_[0-9A-Z]{26}$`).test(id),
      'must be the next_cursor of an earlier page',
    );

/** The query of a list whose ids have that prefix. */
export const pageQuery = (prefix: string) =>
  z.object({ limit: limit.optional(), cursor: cursor(prefix).optional() });

/** A page as callers see it. */
export const pageEntry = (data: readonly unknown[], next: string | undefined) => ({
  object: 'list',
  data,
  next_cursor: next === undefined ? null : Buffer.from(next, 'latin1').toString('base64url'),
});
