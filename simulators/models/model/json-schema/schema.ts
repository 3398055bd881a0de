/** Reading JSON Schema documents, which arrive as unchecked JSON. */
import type { JsonSchema } from '../model-request.ts';

/** A schema in its object form. */
export type SchemaNode = Readonly<Record<string, unknown>>;

export const isNode = (value: unknown): value is SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Anything that is not a schema constrains nothing. */
export const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'boolean' || isNode(value) ? value : true;

/** A schema in its object form: `true` and `false` become `{}` and `{not: {}}`. */
export function asNode(schema: JsonSchema): SchemaNode {
  if (typeof schema !== 'boolean') return schema;
  return schema ? {} : { not: {} };
}

export const schemaList = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? value.map(asSchema) : [];

/** The schemas of a keyword such as `properties`, by name. */
export function schemaMap(value: unknown): ReadonlyMap<string, JsonSchema> {
  return new Map(
    isNode(value) ? Object.entries(value).map(([name, schema]) => [name, asSchema(schema)]) : [],
  );
}

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

export const stringList = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** The types a node allows; empty when it says nothing. */
export const typesOf = (node: SchemaNode): readonly string[] =>
  typeof node.type === 'string' ? [node.type] : stringList(node.type);

/** The regular expression of `pattern`, or undefined when it is not a valid one. */
export function patternOf(pattern: unknown): RegExp | undefined {
  if (typeof pattern !== 'string') return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

const unescapePointer = (part: string): string =>
  decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');

/** The schema that `ref` (`#`, `#/$defs/name`, any JSON pointer) names inside `root`; unknown names constrain nothing. */
export function resolveRef(root: JsonSchema, ref: string): JsonSchema {
  if (!ref.startsWith('#')) return true;
  let current: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1).map(unescapePointer)) {
    if (Array.isArray(current)) current = current[Number(part)];
    else current = isNode(current) ? current[part] : undefined;
  }
  return asSchema(current);
}

/** Equality of JSON values, whatever the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isNode(a) || !isNode(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
