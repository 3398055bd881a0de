/** Folds `$ref`, `allOf` and one branch of each `anyOf`/`oneOf` into a single node, which an instance can be built from. */
import type { JsonSchema } from '../model-request.ts';
import {
  asNode,
  isNode,
  numberOf,
  resolveRef,
  type SchemaNode,
  sameJson,
  schemaList,
  stringList,
  typesOf,
} from './schema.ts';

/** Chooses the branch to build from. */
export type BranchChoice = (branches: readonly JsonSchema[]) => JsonSchema;

/** Folding stops here, so that a reference to itself ends. */
const MAX_FOLDS = 50;

const FOLDED_KEYWORDS = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', '$defs', 'definitions']);

type Merge = (a: unknown, b: unknown) => unknown;

const both: Merge = (a, b) => ({ allOf: [a, b] });
const larger: Merge = (a, b) =>
  Math.max(numberOf(a) ?? Number.NEGATIVE_INFINITY, numberOf(b) ?? Number.NEGATIVE_INFINITY);
const smaller: Merge = (a, b) =>
  Math.min(numberOf(a) ?? Number.POSITIVE_INFINITY, numberOf(b) ?? Number.POSITIVE_INFINITY);

function commonTypes(a: unknown, b: unknown): unknown {
  const [left, right] = [typesOf({ type: a }), typesOf({ type: b })];
  const common = left.filter((type) => right.includes(type));
  if (common.length > 0) return common;
  const numeric = [...left, ...right].every((type) => type === 'integer' || type === 'number');
  return numeric ? 'integer' : a;
}

function mergedMaps(a: unknown, b: unknown): unknown {
  if (!isNode(a) || !isNode(b)) return a;
  const merged = new Map(Object.entries(a));
  for (const [name, schema] of Object.entries(b)) {
    merged.set(name, merged.has(name) ? both(merged.get(name), schema) : schema);
  }
  return Object.fromEntries(merged);
}

const MERGES: Readonly<Record<string, Merge>> = {
  type: commonTypes,
  enum: (a, b) => (Array.isArray(a) && Array.isArray(b) ? a.filter((x) => b.some((y) => sameJson(x, y))) : a),
  required: (a, b) => [...new Set([...stringList(a), ...stringList(b)])],
  properties: mergedMaps,
  patternProperties: mergedMaps,
  items: both,
  additionalProperties: (a, b) => (a === false || b === false ? false : both(a, b)),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
};

function mergeNodes(a: SchemaNode, b: SchemaNode): SchemaNode {
  const merged: Record<string, unknown> = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    if (FOLDED_KEYWORDS.has(keyword)) continue;
    const merge = MERGES[keyword];
    merged[keyword] = merge !== undefined && Object.hasOwn(a, keyword) ? merge(a[keyword], value) : value;
  }
  return merged;
}

/** A node without `$ref`, `allOf`, `anyOf` and `oneOf` whose instances are, but for `oneOf` overlaps, instances of `schema`. */
export function flattenSchema(root: JsonSchema, schema: JsonSchema, choose: BranchChoice): SchemaNode {
  const pending: JsonSchema[] = [schema];
  let flat: SchemaNode = {};
  for (let folds = 0; folds < MAX_FOLDS; folds += 1) {
    const next = pending.shift();
    if (next === undefined) break;
    const node = asNode(next);
    flat = mergeNodes(flat, node);
    if (typeof node.$ref === 'string') pending.push(resolveRef(root, node.$ref));
    pending.push(...schemaList(node.allOf));
    for (const branches of [schemaList(node.anyOf), schemaList(node.oneOf)]) {
      if (branches.length > 0) pending.push(choose(branches));
    }
  }
  return flat;
}
