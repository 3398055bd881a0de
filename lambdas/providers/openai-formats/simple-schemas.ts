/** JSON Schemas for hosts that know less of them (JSON Schema 2020-12, Core and Validation). */
import { isJsonObject, type JsonObject } from '../../core/json/lossless-json.ts';

/** Keywords whose values are schemas by name, those that hold one, and those that hold a list of them. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const HELD: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains']);
const LISTED: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);

type Change = (schema: JsonObject) => JsonObject;

/** The schema with every schema in it changed, the inner ones first. */
function everywhere(schema: JsonObject, change: Change): JsonObject {
  const inner = (value: unknown) => (isJsonObject(value) ? everywhere(value, change) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (NAMED.has(keyword) && isJsonObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, own]) => [name, inner(own)]))];
    if (LISTED.has(keyword) && Array.isArray(value)) return [keyword, value.map(inner)];
    return [keyword, HELD.has(keyword) ? inner(value) : value];
  });
  return change(Object.fromEntries(entries));
}

/** Without tuples, without `type` beside alternatives, and with a type for every `enum`. */
export const simpleSchema = (schema: JsonObject): JsonObject =>
  everywhere(schema, (each) => typedEnum(typedAlternatives(withoutTuple(each))));

/** Every property is required; one that may be left out may be null instead. */
export const requiredSchema = (schema: JsonObject): JsonObject => everywhere(schema, allRequired);

/** A tuple becomes a list of any of its members, as long as it was. */
function withoutTuple(schema: JsonObject): JsonObject {
  const { prefixItems, items, additionalItems: more, ...rest } = schema;
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (places === undefined) return schema;
  const others = Array.isArray(items) ? more : items;
  const members = [...places, ...(isJsonObject(others) ? [others] : [])];
  const isClosed = others === false && rest.maxItems === undefined;
  const [only] = members;
  return {
    ...rest,
    items: members.length === 1 ? only : { anyOf: members },
    ...(isClosed ? { maxItems: places.length } : {}),
  };
}

/** The type stands in each alternative that has none of its own. */
function typedAlternatives(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (type === undefined || !Array.isArray(anyOf)) return schema;
  const { type: _type, ...rest } = schema;
  const typed = anyOf.map((each) =>
    isJsonObject(each) && each.type === undefined && each.$ref === undefined && each.anyOf === undefined
      ? typedEnum({ type, ...each })
      : each,
  );
  return { ...rest, anyOf: typed };
}

/** Values of several types become alternatives of one type each. */
function typedEnum(schema: JsonObject): JsonObject {
  const { enum: values, ...rest } = schema;
  if (!Array.isArray(values) || values.length === 0 || rest.type !== undefined) return schema;
  const byType = Map.groupBy(values, typeOf);
  const [only, ...others] = [...byType.keys()];
  if (others.length === 0) return { type: only, ...schema };
  if (rest.anyOf !== undefined) return schema;
  return { ...rest, anyOf: [...byType].map(([type, some]) => ({ type, enum: some })) };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function allRequired(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return schema;
  const must: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(properties).map(([name, own]) => [name, must.has(name) ? own : nullable(own)]);
  return { ...schema, properties: Object.fromEntries(all), required: Object.keys(properties) };
}

function nullable(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (typeof type !== 'string' && !Array.isArray(type)) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(values) ? { enum: [...new Set([...values, null])] } : {}),
  };
}
