/**
 * A request as a host takes it that differs from the protocol: what the dialect of its route names, and nothing else.
 * What is added here is counted in `metering/estimate.ts`.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Dialect } from '../../core/catalog/dialect.ts';
import { dialectMessages } from './dialect-messages.ts';

/** The body of a chat completion as the host takes it; the same object where its dialect names nothing. */
export function forHost(body: JsonObject, dialect: Dialect = {}): JsonObject {
  const { messages, ...fields } = body;
  const passes = [withoutRejectedFields, withBound, withTools, withOutputSchema];
  const changed = passes.reduce((request, pass) => pass(request, dialect), fields);
  return messages === undefined ? changed : { ...changed, messages: dialectMessages(messages, dialect) };
}

type Pass = (body: JsonObject, dialect: Dialect) => JsonObject;

const REJECTABLE_FIELDS = ['store', 'stream_options', 'parallel_tool_calls'] as const;

const withoutRejectedFields: Pass = (body, dialect) => {
  const rejectedFields: ReadonlySet<string> = new Set(
    REJECTABLE_FIELDS.filter((name) => dialect[name] === false),
  );
  return Object.fromEntries(Object.entries(body).filter(([name]) => !rejectedFields.has(name)));
};

const withBound: Pass = (body, { max_tokens_field: name }) => {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body;
  const bound = newer ?? older;
  return name === undefined || bound === undefined ? body : { ...rest, [name]: bound };
};

const withTools: Pass = (body, dialect) => {
  if (!Array.isArray(body.tools)) return body;
  const tools = body.tools.map((tool: unknown) => {
    if (!isJsonObject(tool) || !isJsonObject(tool.function)) return tool;
    const { strict, parameters, ...rest } = tool.function;
    const called = {
      ...rest,
      ...(isJsonObject(parameters) ? { parameters: schemaFor(parameters, dialect) } : {}),
      ...(strict === undefined || dialect.strict_tools === false ? {} : { strict }),
    };
    return { ...tool, function: called };
  });
  return { ...body, tools };
};

const withOutputSchema: Pass = (body, dialect) => {
  const { response_format: format } = body;
  const described = isJsonObject(format) ? format.json_schema : undefined;
  if (!isJsonObject(format) || !isJsonObject(described) || !isJsonObject(described.schema)) return body;
  const schema = schemaFor(described.schema, dialect);
  return { ...body, response_format: { ...format, json_schema: { ...described, schema } } };
};

function schemaFor(
  schema: JsonObject,
  { schemas, all_properties_required: isAllRequired }: Dialect,
): JsonObject {
  const simple = schemas === 'simple' ? simpleSchema(schema) : schema;
  return isAllRequired === true ? requiredSchema(simple) : simple;
}

/** Keywords whose values are schemas by name, those that hold one, and those that hold a list of them. */
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
]);
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains']);
const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'allOf',
  'prefixItems',
  'items',
]);

type Change = (schema: JsonObject) => JsonObject;

/** The schema with every schema in it changed, the inner ones first. */
function everywhere(schema: JsonObject, change: Change): JsonObject {
  const inner = (value: unknown) => (isJsonObject(value) ? everywhere(value, change) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value))
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, subschema]) => [name, inner(subschema)])),
      ];
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) return [keyword, value.map(inner)];
    return [keyword, SCHEMA_KEYWORDS.has(keyword) ? inner(value) : value];
  });
  return change(Object.fromEntries(entries));
}

/** Returns a schema without tuples, without `type` next to alternatives, and with a type for every `enum`. */
const simpleSchema = (schema: JsonObject): JsonObject =>
  everywhere(schema, (each) => typedEnum(typedAlternatives(withoutTuple(each))));

/** Every property is required; one that may be left out may be null instead. */
const requiredSchema = (schema: JsonObject): JsonObject => everywhere(schema, allRequired);

/** A tuple becomes a list of any of its members, as long as it was. */
function withoutTuple(schema: JsonObject): JsonObject {
  const { prefixItems, items, additionalItems, ...rest } = schema;
  const tupleItems = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (tupleItems === undefined) return schema;
  const otherItems = Array.isArray(items) ? additionalItems : items;
  const members = [...tupleItems, ...(isJsonObject(otherItems) ? [otherItems] : [])];
  const isClosed = otherItems === false && rest.maxItems === undefined;
  const [only] = members;
  return {
    ...rest,
    items: members.length === 1 ? only : { anyOf: members },
    ...(isClosed ? { maxItems: tupleItems.length } : {}),
  };
}

/** Moves the type into each alternative that has none. */
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
  const [only, ...otherTypes] = [...byType.keys()];
  if (otherTypes.length === 0) return { type: only, ...schema };
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
  const all = Object.entries(properties).map(([name, property]) => [
    name,
    must.has(name) ? property : nullable(property),
  ]);
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
