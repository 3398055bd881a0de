/** Builds an instance of a JSON Schema, for tool arguments and structured outputs. */
import type { JsonSchema } from '../model-request.ts';
import { type Random, randomFrom } from '../random.ts';
import { conformsToSchema } from './conforms.ts';
import { flattenSchema } from './flatten.ts';
import { numberInstance, stringInstance } from './scalar-instance.ts';
import {
  asNode,
  asSchema,
  isNode,
  numberOf,
  patternOf,
  type SchemaNode,
  sameJson,
  schemaList,
  schemaMap,
  stringList,
  typesOf,
} from './schema.ts';

/** Attempts before an instance is given as it is; contradictory schemas have none at all. */
const MAX_ATTEMPTS = 60;
/** Below this depth nothing optional is built, which ends recursive schemas. */
const OPTIONAL_DEPTH = 4;
/** A required recursion never ends; its schema has no finite instance. Real schemas nest less (OpenAI allows 10). */
const MAX_DEPTH = 40;
/** Values built in all attempts together, which bounds a required recursion that also branches to a fraction of a second. */
const MAX_VALUES = 100_000;
/** Draws for one item that must differ from those before it. */
const UNIQUE_DRAWS = 50;

interface Build {
  readonly root: JsonSchema;
  readonly random: Random;
  /** The first attempt takes first branches and all optional properties; later ones choose at random. */
  readonly attempt: number;
  readonly budget: { values: number };
}

/** How much must be built for an instance of this branch at least: the least of them ends a recursion soonest. */
function leastSize(branch: JsonSchema): number {
  const node = asNode(branch);
  if (node.$ref !== undefined) return 3;
  if (node.const !== undefined || node.enum !== undefined) return 0;
  if (stringList(node.required).length > 0) return 2;
  return typesOf(node).some((type) => type === 'object' || type === 'array') || typesOf(node).length === 0
    ? 1
    : 0;
}

function chooseBranch(build: Build, branches: readonly JsonSchema[], depth: number): JsonSchema {
  if (depth >= OPTIONAL_DEPTH) return branches.toSorted((a, b) => leastSize(a) - leastSize(b))[0] ?? true;
  const index = build.attempt === 0 ? 0 : build.random.integer(0, branches.length - 1);
  return branches[index] ?? true;
}

const IMPLIED_TYPES: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'contains', 'uniqueItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function chooseType(build: Build, node: SchemaNode, depth: number): string {
  const types = typesOf(node);
  if (types.length === 0)
    return IMPLIED_TYPES.find(([, words]) => words.some((word) => word in node))?.[0] ?? 'string';
  if (depth >= OPTIONAL_DEPTH && types.includes('null')) return 'null';
  const useful = types.filter((type) => type !== 'null');
  if (build.attempt === 0) return useful[0] ?? 'null';
  return types[build.random.integer(0, types.length - 1)] ?? 'null';
}

function buildArray(build: Build, node: SchemaNode, depth: number): unknown[] {
  const prefix = schemaList(node.prefixItems);
  const min = Math.max(numberOf(node.minItems) ?? 0, node.contains === undefined ? 0 : 1);
  const wanted = depth < OPTIONAL_DEPTH ? Math.max(min, prefix.length, 1 + build.random.integer(0, 1)) : min;
  const open = node.items !== false || prefix.length === 0;
  const limit = Math.min(numberOf(node.maxItems) ?? wanted, open ? wanted : prefix.length, wanted);
  const items: unknown[] = [];
  while (items.length < limit) {
    const beyondPrefix = items.length >= prefix.length;
    const contained = node.contains !== undefined && items.length === prefix.length;
    const schema = contained ? { allOf: [asSchema(node.items), node.contains] } : asSchema(node.items);
    const draw = (): unknown =>
      buildValue(build, beyondPrefix ? schema : (prefix[items.length] ?? true), depth + 1);
    let item = draw();
    if (node.uniqueItems === true) {
      const taken = (value: unknown): boolean => items.some((earlier) => sameJson(earlier, value));
      for (let draws = 0; taken(item) && draws < UNIQUE_DRAWS; draws += 1) item = draw();
      if (taken(item)) break;
    }
    items.push(item);
  }
  return items;
}

/** The names to build: all required ones, the optional ones while shallow, and made-up ones up to `minProperties`. */
function propertyNames(build: Build, node: SchemaNode, depth: number): string[] {
  const properties = schemaMap(node.properties);
  const names = new Set(stringList(node.required));
  const max = numberOf(node.maxProperties) ?? Number.POSITIVE_INFINITY;
  for (const [name, schema] of properties) {
    const included = depth < OPTIONAL_DEPTH && (build.attempt === 0 || build.random.integer(0, 1) === 1);
    if (included && schema !== false && names.size < max) names.add(name);
  }
  const openEntry =
    properties.size === 0 && typeof node.additionalProperties === 'object' && depth < OPTIONAL_DEPTH;
  const min = Math.max(numberOf(node.minProperties) ?? 0, openEntry ? 1 : 0);
  for (const name of properties.keys()) if (names.size < min) names.add(name);
  for (let index = 1; names.size < min; index += 1) names.add(`item_${index}`);
  // A set visits what is added during the loop, so names that bring further names are followed to the end.
  const dependent = isNode(node.dependentRequired) ? node.dependentRequired : {};
  for (const name of names) for (const needed of stringList(dependent[name])) names.add(needed);
  return [...names];
}

function buildObject(build: Build, node: SchemaNode, depth: number): unknown {
  const properties = schemaMap(node.properties);
  const patterns = schemaMap(node.patternProperties);
  const schemaFor = (name: string): JsonSchema => {
    const matching = [...patterns].find(([pattern]) => patternOf(pattern)?.test(name));
    return properties.get(name) ?? matching?.[1] ?? asSchema(node.additionalProperties);
  };
  const names = propertyNames(build, node, depth);
  return Object.fromEntries(names.map((name) => [name, buildValue(build, schemaFor(name), depth + 1)]));
}

function buildValue(build: Build, schema: JsonSchema, depth: number): unknown {
  const { random, budget } = build;
  budget.values -= 1;
  if (depth > MAX_DEPTH || budget.values < 0) return null;
  const node = flattenSchema(build.root, schema, (branches) => chooseBranch(build, branches, depth));
  if (Object.hasOwn(node, 'const')) return node.const;
  const [first, ...others]: unknown[] = Array.isArray(node.enum) ? node.enum : [];
  if (first !== undefined) return random.pick([first, ...others]);
  const type = chooseType(build, node, depth);
  if (type === 'null') return null;
  if (type === 'boolean') return random.integer(0, 1) === 1;
  if (type === 'integer' || type === 'number') return numberInstance(node, type, random);
  if (type === 'array') return buildArray(build, node, depth);
  return type === 'object' ? buildObject(build, node, depth) : stringInstance(node, random);
}

/**
 * An instance of `schema` that depends on `seed` alone. It conforms wherever the schema has a finite instance made of
 * ordinary parts; a contradictory schema gets the last attempt.
 */
export function schemaInstance(schema: JsonSchema, seed: string): unknown {
  const random = randomFrom(seed);
  const budget = { values: MAX_VALUES };
  let instance: unknown = null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && budget.values > 0; attempt += 1) {
    instance = buildValue({ root: schema, random, attempt, budget }, schema, 0);
    if (conformsToSchema(schema, instance)) break;
  }
  return instance;
}
