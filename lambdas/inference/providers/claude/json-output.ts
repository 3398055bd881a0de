/**
 * JSON that a caller requests from Claude, on Anthropic and on Bedrock. The request uses structured outputs, a tool
 * whose input is the answer, or text. Includes the tools that are sent with it.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation, OutputFormat, Tool } from '../../core/upstream/conversation.ts';
import type { ClaudeTurn } from './route-signatures.ts';

export type SchemaFormat = Extract<OutputFormat, { type: 'json-schema' }>;

/** The request for the JSON output of a conversation; empty for plain text. */
export interface JsonOutputRequest {
  /** The schema that structured outputs must follow. */
  readonly native?: SchemaFormat;
  /** The tool whose input is the answer. */
  readonly tool?: Tool;
  /** System texts to add to the conversation's own. */
  readonly instructions: readonly string[];
}

/** The properties of a conversation that affect the request for its output. */
type OutputContext = Pick<Conversation, 'format' | 'tools' | 'toolChoice'> & {
  readonly turns: readonly ClaudeTurn[];
};

/**
 * Returns the request for JSON. Claude rejects a forced tool call while it reasons, so a text requests the JSON then
 * (Claude API docs, Extended thinking with tool use).
 */
export function jsonOutputRequestOf(conversation: OutputContext, reasoning: boolean): JsonOutputRequest {
  const { format } = conversation;
  if (format === undefined) return { instructions: [] };
  if (isNative(format)) return { native: format, instructions: [] };
  if (!allowsTextOutput(conversation)) return { instructions: [] };
  return reasoning
    ? { instructions: instructionsFor(format) }
    : { tool: toAnswerTool(format, conversation), instructions: [] };
}

/** Structured outputs say it: there is nothing else for a schema that is not even an object's. */
const isNative = (format: OutputFormat): format is SchemaFormat =>
  format.type === 'json-schema' && (takesSchema(format.schema) || !isOfObject(format.schema));

const isOfObject = ({ type, anyOf, oneOf, allOf }: JsonObject): boolean =>
  (type === undefined || type === 'object') && [anyOf, oneOf, allOf].every((union) => union === undefined);

/** Returns whether the caller allows a text answer. A caller who forces a tool call receives only that call. */
const allowsTextOutput = ({ tools, toolChoice }: OutputContext): boolean =>
  toolChoice?.type !== 'tool' && (toolChoice?.type !== 'any' || tools.length === 0);

function instructionsFor(format: OutputFormat): string[] {
  const instruction = 'Answer with one JSON object and nothing else: no code fence, no words around it.';
  if (format.type === 'json') return [instruction];
  return [instruction, `The object conforms to this JSON Schema: ${JSON.stringify(format.schema)}`];
}

const ANSWER_TOOL = 'json_answer';
const ANSWER_TOOL_USE = 'Call this tool once to give the whole answer: the input is the answer.';

const ANY_OBJECT: JsonObject = { type: 'object' };

function toAnswerTool(format: OutputFormat, { tools, turns }: OutputContext): Tool {
  const usedNames = new Set([...tools.map(({ name }) => name), ...calledNames(turns)]);
  let name = ANSWER_TOOL;
  for (let next = 2; usedNames.has(name); next += 1) name = `${ANSWER_TOOL}_${next}`;
  if (format.type === 'json') return { name, description: ANSWER_TOOL_USE, parameters: ANY_OBJECT };
  const about = format.description === undefined ? '' : ` ${format.description}`;
  return { name, description: `${ANSWER_TOOL_USE}${about}`, parameters: format.schema };
}

const calledNames = (turns: OutputContext['turns']): ReadonlySet<string> =>
  new Set(
    turns.flatMap(({ parts }) => [...parts].flatMap((part) => (part.type === 'tool-call' ? part.name : []))),
  );

/**
 * Returns the tools that a conversation called. A conversation with calls is rejected without tools, so these are
 * declared if the request has none.
 */
export function calledTools({ tools, turns }: OutputContext): Tool[] {
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  return [...calledNames(turns)].map((name) => toolsByName.get(name) ?? { name, parameters: ANY_OBJECT });
}

/** The tool as both protocols take it: with the schema of an object, and strict only where structured outputs take that. */
export function toValidTool({ strict, ...tool }: Tool): Tool {
  const parameters =
    tool.parameters.type === 'object' ? tool.parameters : { ...tool.parameters, ...ANY_OBJECT };
  return { ...tool, parameters, ...(strict === true && takesSchema(parameters) ? { strict } : {}) };
}

/**
 * Keywords that structured outputs support (Claude API docs, Structured outputs, JSON Schema limitations; Amazon
 * Bedrock user guide, Structured outputs, JSON Schema support).
 */
const KEYWORDS: ReadonlySet<string> = new Set([
  '$schema',
  '$defs',
  'definitions',
  '$ref',
  'title',
  'description',
  'default',
  'type',
  'enum',
  'const',
  'anyOf',
  'allOf',
  'format',
  'items',
  'minItems',
  'properties',
  'required',
  'additionalProperties',
]);

/**
 * Returns whether structured outputs accept the schema: only supported keywords, every object closed, and no recursion.
 * Any other schema is rejected with status 400.
 */
export function takesSchema(schema: JsonObject): boolean {
  const walk = new SchemaWalk(schema);
  return walk.takes(schema) && walk.takesDefinitions();
}

/** Visits each definition once; one that is met again before it is left is recursive. */
class SchemaWalk {
  readonly #definitions: ReadonlyMap<string, unknown>;
  readonly #entered = new Set<string>();
  readonly #completed = new Set<string>();

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
    const subschemas = [...Object.values(objectOrNone(properties)), ...[items, anyOf, allOf].flat()];
    return this.#takesReference($ref) && subschemas.every((subschema) => this.takes(subschema));
  }

  takesDefinitions(): boolean {
    return [...this.#definitions.keys()].every((reference) => this.#takesReference(reference));
  }

  #takesReference(reference: unknown): boolean {
    if (reference === undefined) return true;
    if (typeof reference !== 'string' || !this.#definitions.has(reference)) return false;
    if (this.#entered.has(reference)) return this.#completed.has(reference);
    this.#entered.add(reference);
    const isAccepted = this.takes(this.#definitions.get(reference));
    this.#completed.add(reference);
    return isAccepted;
  }
}

const objectOrNone = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
