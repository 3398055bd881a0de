/**
 * Checks a value against a JSON Schema (draft 2020-12, the keywords of "JSON Schema Validation" that providers accept),
 * so that a generated instance with `oneOf`, `not` or `if` can be tried and rejected.
 */
import type { JsonSchema } from '../model-request.ts';
import {
  asSchema,
  isNode,
  numberOf,
  patternOf,
  resolveRef,
  type SchemaNode,
  sameJson,
  schemaList,
  schemaMap,
  stringList,
  typesOf,
} from './schema.ts';

/** A value that nests deeper follows a reference to itself; such a loop constrains nothing. */
const MAX_DEPTH = 100;

/** Tells whether a part of the value satisfies a part of the schema. */
type Check = (schema: JsonSchema, value: unknown) => boolean;

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: isNode,
};

function withinNumberBounds(node: SchemaNode, value: number): boolean {
  const step = numberOf(node.multipleOf);
  const steps = step === undefined ? 0 : value / step;
  return (
    value >= (numberOf(node.minimum) ?? value) &&
    value <= (numberOf(node.maximum) ?? value) &&
    value > (numberOf(node.exclusiveMinimum) ?? Number.NEGATIVE_INFINITY) &&
    value < (numberOf(node.exclusiveMaximum) ?? Number.POSITIVE_INFINITY) &&
    Math.abs(steps - Math.round(steps)) < 1e-9 // Decimal steps such as 0.1 do not divide exactly in binary.
  );
}

const withinCount = (count: number, min: unknown, max: unknown): boolean =>
  count >= (numberOf(min) ?? 0) && count <= (numberOf(max) ?? Number.POSITIVE_INFINITY);

function stringConforms(node: SchemaNode, value: string): boolean {
  const codePoints = [...value].length;
  return (
    withinCount(codePoints, node.minLength, node.maxLength) && (patternOf(node.pattern)?.test(value) ?? true)
  );
}

function arrayConforms(node: SchemaNode, value: readonly unknown[], check: Check): boolean {
  const prefix = schemaList(node.prefixItems);
  const rest = asSchema(node.items);
  return (
    withinCount(value.length, node.minItems, node.maxItems) &&
    value.every((item, index) => check(prefix[index] ?? rest, item)) &&
    (node.contains === undefined || value.some((item) => check(asSchema(node.contains), item))) &&
    (node.uniqueItems !== true ||
      value.every((item, index) => !value.slice(0, index).some((earlier) => sameJson(earlier, item))))
  );
}

/** Every schema that applies to the property `name`: its own, those of matching patterns, or the one for the rest. */
function propertySchemas(node: SchemaNode, name: string): JsonSchema[] {
  const own = schemaMap(node.properties).get(name);
  const matching = [...schemaMap(node.patternProperties)]
    .filter(([pattern]) => patternOf(pattern)?.test(name))
    .map(([, schema]) => schema);
  if (own !== undefined) return [own, ...matching];
  return matching.length > 0 ? matching : [asSchema(node.additionalProperties)];
}

function objectConforms(node: SchemaNode, value: SchemaNode, check: Check): boolean {
  const names = Object.keys(value);
  const dependent = isNode(node.dependentRequired) ? Object.entries(node.dependentRequired) : [];
  return (
    withinCount(names.length, node.minProperties, node.maxProperties) &&
    stringList(node.required).every((name) => Object.hasOwn(value, name)) &&
    names.every((name) => propertySchemas(node, name).every((schema) => check(schema, value[name]))) &&
    names.every((name) => check(asSchema(node.propertyNames), name)) &&
    dependent.every(([name, needed]) => !(name in value) || stringList(needed).every((key) => key in value))
  );
}

function combinationsConform(node: SchemaNode, value: unknown, check: Check): boolean {
  const passes = (schema: JsonSchema): boolean => check(schema, value);
  const conditional = node.if === undefined ? undefined : node[passes(asSchema(node.if)) ? 'then' : 'else'];
  return (
    schemaList(node.allOf).every(passes) &&
    (!Array.isArray(node.anyOf) || schemaList(node.anyOf).some(passes)) &&
    (!Array.isArray(node.oneOf) || schemaList(node.oneOf).filter(passes).length === 1) &&
    (node.not === undefined || !passes(asSchema(node.not))) &&
    passes(asSchema(conditional))
  );
}

function valueConforms(node: SchemaNode, value: unknown, check: Check): boolean {
  const types = typesOf(node);
  if (types.length > 0 && !types.some((type) => TYPE_TESTS[type]?.(value) ?? true)) return false;
  if (Array.isArray(node.enum) && !node.enum.some((allowed) => sameJson(allowed, value))) return false;
  if (Object.hasOwn(node, 'const') && !sameJson(node.const, value)) return false;
  if (typeof value === 'number') return withinNumberBounds(node, value);
  if (typeof value === 'string') return stringConforms(node, value);
  if (Array.isArray(value)) return arrayConforms(node, value, check);
  return isNode(value) ? objectConforms(node, value, check) : true;
}

/** Whether `value` is an instance of `schema`. `format` is an annotation and not checked. */
export function conformsToSchema(root: JsonSchema, value: unknown): boolean {
  const checkAt = (schema: JsonSchema, part: unknown, depth: number): boolean => {
    if (typeof schema === 'boolean') return schema;
    if (depth > MAX_DEPTH) return true;
    const check: Check = (inner, innerValue) => checkAt(inner, innerValue, depth + 1);
    const ref = schema.$ref;
    if (typeof ref === 'string' && !check(resolveRef(root, ref), part)) return false;
    return valueConforms(schema, part, check) && combinationsConform(schema, part, check);
  };
  return checkAt(root, value, 0);
}
