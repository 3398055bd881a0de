/** Parts of request schemas that several formats share, and the walk through a JSON Schema that a request contains. */
import { z } from 'zod';

export const jsonObject = z.record(z.string(), z.unknown());
export const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u);
export const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/u, 'Invalid base64 data');
export const webAddress = z.string().regex(/^https?:\/\/\S+$/u);
/** A web address, or an image in one of the formats that OpenAI's vision guide lists as a base64 data URL. */
export const imageUrl = z
  .string()
  .regex(/^(?:https?:\/\/\S+|data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$/u);

export const unionOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .partial()
    .refine(
      (members) => Object.values(members).filter((member) => member !== undefined).length === 1,
      'Exactly one member of a union can be set',
    );

/** Keywords whose values are schemas by name, and those that hold one schema or a list. */
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties'];
const LISTED = ['items', 'additionalProperties', 'not', 'contains', 'anyOf', 'allOf', 'oneOf', 'prefixItems'];

interface LocatedSchema {
  readonly node: Readonly<Record<string, unknown>>;
  readonly context: readonly string[];
}

export function schemasIn(schema: unknown, context: readonly string[] = []): readonly LocatedSchema[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const node = schema as LocatedSchema['node'];
  const named = NAMED.flatMap((keyword) =>
    Object.entries(Object(node[keyword])).map(([name, inner]) => ({ inner, path: [keyword, name] })),
  );
  const listed = LISTED.flatMap((keyword) =>
    [node[keyword]].flat().map((inner, index) => ({ inner, path: [keyword, String(index)] })),
  );
  const within = [...named, ...listed].flatMap(({ inner, path }) => schemasIn(inner, [...context, ...path]));
  return [{ node, context }, ...within];
}
