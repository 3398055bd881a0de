/** Pages of lists: the parameters of a page and of its continuation. */
import * as z from 'zod';

/** The most that one read of DynamoDB by keys returns (BatchGetItem). */
export const MAX_LIMIT = 100;

export interface PageQuery {
  readonly limit: number;
  /** Continues after this id: the `next` of the page before. */
  readonly after?: string | undefined;
}

export interface Page<T> {
  readonly entries: readonly T[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export const limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .refine((count) => count >= 1 && count <= MAX_LIMIT, `must be from 1 to ${MAX_LIMIT}`)
  .default(20);

/** Opaque to callers: the entry that the page before ended with, whose id `id` matches. */
export const cursor = (id: RegExp) =>
  z
    .string()
    .max(200)
    .transform((value) => Buffer.from(value, 'base64url').toString('utf8'))
    .refine((text) => id.test(text), 'must be the next_cursor of an earlier page');

/** A query of a page of a list, whose entries have ids that `id` matches. */
export const pageQuery = (id = /^[^\ufffd]+$/) => z.object({ limit, cursor: cursor(id).optional() });

/** Returns a `pageQuery` for ids of the form prefix, `_` and ULID. */
export const ulidPageQuery = (prefix: string) => pageQuery(new RegExp(`^${prefix}_[0-9A-Z]{26}$`));

/** The query of a request; of a parameter that is given twice, the last one counts. */
export const queryOf = (request: Pick<Request, 'url'>): Record<string, string> =>
  Object.fromEntries(new URL(request.url).searchParams);

export const pageSchema = <S extends z.ZodType>(entry: S) =>
  z.object({
    object: z.literal('list'),
    data: z.array(entry),
    next_cursor: z
      .string()
      .nullable()
      .describe('Sent as `cursor` to get the next page; `null` on the last page.'),
  });

/** Returns a page for a response. */
export const pageBody = <T, E>({ entries, next }: Page<T>, entryOf: (entry: T) => E) => ({
  object: 'list',
  data: entries.map(entryOf),
  next_cursor: next === undefined ? null : Buffer.from(next, 'utf8').toString('base64url'),
});
