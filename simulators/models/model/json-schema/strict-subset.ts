/** The part of JSON Schema that structured outputs support (Claude guide "Structured outputs", "JSON Schema limitations"). */
import { isNode, type SchemaNode, typesOf } from './schema.ts';

const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  integer: ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'],
  number: ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'],
  string: ['maxLength', 'minLength'],
  array: ['maxItems', 'uniqueItems'],
};

function openObject(node: SchemaNode): string | undefined {
  if (!typesOf(node).includes('object') || node.additionalProperties === false) return undefined;
  if (node.additionalProperties === undefined)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  return "For 'object' type, 'additionalProperties: true' is not supported. Please set 'additionalProperties' to false";
}

function unsupportedKeyword(node: SchemaNode): string | undefined {
  for (const type of typesOf(node)) {
    const found = (UNSUPPORTED[type] ?? []).filter((keyword) => node[keyword] !== undefined);
    if (found.length > 0) return `For '${type}' type, properties ${found.join(', ')} are not supported`;
  }
  return undefined;
}

/** Keywords whose values are schemas by name; what they hold is no schema itself. */
const NAMED = ['properties', '$defs', 'definitions'];
const LISTED = ['anyOf', 'allOf', 'items'];

/** The first part of `schema` that is not supported, in the API's words. */
export function unsupportedSchema(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return schema.map(unsupportedSchema).find((problem) => problem !== undefined);
  if (!isNode(schema)) return undefined;
  const named = NAMED.flatMap((keyword) => Object.values(isNode(schema[keyword]) ? schema[keyword] : {}));
  const listed = LISTED.map((keyword) => schema[keyword]);
  return openObject(schema) ?? unsupportedKeyword(schema) ?? unsupportedSchema([...named, ...listed]);
}
