/** Which JSON schemas Claude's structured outputs take, of Anthropic and of Bedrock alike. */
import type { JsonObject } from '../../core/json/lossless-json.ts';
import { isJsonObject } from '../../core/json/lossless-json.ts';

/**
 * Keywords that structured outputs know (Claude API docs, Structured outputs, JSON Schema limitations; Amazon Bedrock
 * user guide, Structured outputs, JSON Schema support).
 */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', '$defs', 'definitions', '$ref', 'title', 'description', 'default'],
  ...['type', 'enum', 'const', 'anyOf', 'allOf', 'format', 'items', 'minItems'],
  ...['properties', 'required', 'additionalProperties'],
]);

/**
 * Whether structured outputs take the schema: with known keywords only, every object closed, and without recursion.
 * Any other schema is refused with status 400.
 */
export function takesSchema(schema: JsonObject): boolean {
  const walk = new SchemaWalk(schema);
  return walk.takes(schema) && walk.takesDefinitions();
}

/** Visits each definition once; one that is met again before it is left is recursive. */
class SchemaWalk {
  readonly #definitions: ReadonlyMap<string, unknown>;
  readonly #entered = new Set<string>();
  readonly #left = new Set<string>();

  constructor(root: JsonObject) {
    const named = (keyword: string) =>
      Object.entries(objectOrNone(root[keyword])).map(
        ([name, value]) => [`#/${keyword}/${name}`, value] as const,
      );
    this.#definitions = new Map([...named('$defs'), ...named('definitions')]);
  }

  takes(schema: unknown): boolean {
    if (!isJsonObject(schema)) return schema !== false;
    const { type, additionalProperties, $ref, properties, items, anyOf, allOf, minItems } = schema;
    const isObjects = [type].flat().includes('object') || properties !== undefined;
    const open = isObjects && additionalProperties !== false;
    const unbounded = minItems !== undefined && minItems !== 0 && minItems !== 1;
    if (open || unbounded || !Object.keys(schema).every((keyword) => KEYWORDS.has(keyword))) return false;
    const parts = [...Object.values(objectOrNone(properties)), ...[items, anyOf, allOf].flat()];
    return this.#takesReference($ref) && parts.every((part) => this.takes(part));
  }

  takesDefinitions(): boolean {
    return [...this.#definitions.keys()].every((reference) => this.#takesReference(reference));
  }

  #takesReference(reference: unknown): boolean {
    if (reference === undefined) return true;
    if (typeof reference !== 'string' || !this.#definitions.has(reference)) return false;
    if (this.#entered.has(reference)) return this.#left.has(reference);
    this.#entered.add(reference);
    const taken = this.takes(this.#definitions.get(reference));
    this.#left.add(reference);
    return taken;
  }
}

const objectOrNone = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
