/**
 * The common parts of response schemas. Each schema is next to the function that creates the body, whose return type is
 * `Body` of the schema. The API's description is generated from the same schema, so both have one source.
 */
import * as z from 'zod';
import type { RawJson } from '../json/lossless-json.ts';

type Frozen<T> = T extends RawJson
  ? T
  : T extends readonly (infer E)[]
    ? readonly Frozen<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Frozen<T[K]> }
      : T;

/** A body as its schema describes it. */
export type Body<S extends z.ZodType> = Frozen<z.input<S>>;

export const seconds = z.int().describe('Seconds since the epoch.');

/** On the wire a number; in memory its exact text, because a double cannot hold every amount. */
export const usd = z.number().meta({
  'x-unit': 'USD',
  description: 'USD, with up to 9 decimal places.',
}) as unknown as z.ZodType<RawJson>;

/** An id of our own: the prefix, `_` and a ULID. */
export const idOf = (prefix: string) => z.string().meta({ example: `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV` });

/** The response of a deletion; `objects` are what can be deleted there. */
export const deletedSchema = (...objects: readonly string[]) =>
  z.object({ id: z.string(), object: z.literal(objects), deleted: z.literal(true) });

export const deletedBody = (id: string, object: string): Body<ReturnType<typeof deletedSchema>> => ({
  id,
  object,
  deleted: true,
});
