/**
 * JSON that a caller asks Claude for, of Anthropic and of Bedrock alike: by structured outputs, by a tool whose input
 * is the answer, or as text; and the tools beside it.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AnswerFormat, Conversation, Tool } from '../../core/upstream/conversation.ts';
import type { ClaudeTurn } from './proofs.ts';

export type SchemaFormat = Extract<AnswerFormat, { type: 'json-schema' }>;

/** The request for the JSON output of a conversation; empty for plain text. */
export interface JsonOutputRequest {
  /** The schema that structured outputs must follow. */
  readonly native?: SchemaFormat;
  /** The tool whose input is the answer. */
  readonly tool?: Tool;
  /** System texts to add to the conversation's own. */
  readonly texts: readonly string[];
}

/** The properties of a conversation that affect the request for its output. */
type Asked = Pick<Conversation, 'format' | 'tools' | 'toolChoice'> & {
  readonly turns: readonly ClaudeTurn[];
};

/** Claude refuses to be made to call a tool while it thinks (Claude API docs, Extended thinking with tool use): a text asks. */
export function jsonAnswerOf(conversation: Asked, reasoning: boolean): JsonOutputRequest {
  const { format } = conversation;
  if (format === undefined) return { texts: [] };
  if (isNative(format)) return { native: format, texts: [] };
  if (!mayAnswer(conversation)) return { texts: [] };
  return reasoning
    ? { texts: instructionsFor(format) }
    : { tool: toAnswerTool(format, conversation), texts: [] };
}

/** Structured outputs say it: there is nothing else for a schema that is not even an object's. */
const isNative = (format: AnswerFormat): format is SchemaFormat =>
  format.type === 'json-schema' && (takesSchema(format.schema) || !isOfObject(format.schema));

const isOfObject = ({ type, anyOf, oneOf, allOf }: JsonObject): boolean =>
  (type === undefined || type === 'object') && [anyOf, oneOf, allOf].every((union) => union === undefined);

/** The caller lets the model answer with text; where it insists on a call, it gets no answer but that. */
const mayAnswer = ({ tools, toolChoice }: Asked): boolean =>
  toolChoice?.type !== 'tool' && (toolChoice?.type !== 'any' || tools.length === 0);

function instructionsFor(format: AnswerFormat): string[] {
  const asked = 'Answer with one JSON object and nothing else: no code fence, no words around it.';
  if (format.type === 'json') return [asked];
  return [asked, `The object conforms to this JSON Schema: ${JSON.stringify(format.schema)}`];
}

const ANSWER_TOOL = 'json_answer';
const ANSWER_TOOL_USE = 'Call this tool once to give the whole answer: the input is the answer.';

const ANY_OBJECT: JsonObject = { type: 'object' };

function toAnswerTool(format: AnswerFormat, { tools, turns }: Asked): Tool {
  const taken = new Set([...tools.map(({ name }) => name), ...calledNames(turns)]);
  let name = ANSWER_TOOL;
  for (let next = 2; taken.has(name); next += 1) name = `${ANSWER_TOOL}_${next}`;
  if (format.type === 'json') return { name, description: ANSWER_TOOL_USE, parameters: ANY_OBJECT };
  const about = format.description === undefined ? '' : ` ${format.description}`;
  return { name, description: `${ANSWER_TOOL_USE}${about}`, parameters: format.schema };
}

const calledNames = (turns: Asked['turns']): ReadonlySet<string> =>
  new Set(
    turns.flatMap(({ parts }) => [...parts].flatMap((part) => (part.type === 'tool-call' ? part.name : []))),
  );

/** The tools that a conversation called: one with calls is refused without tools, so they stand in where it offers none. */
export function calledTools({ tools, turns }: Asked): Tool[] {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  return [...calledNames(turns)].map((name) => known.get(name) ?? { name, parameters: ANY_OBJECT });
}

/** The tool as both protocols take it: with the schema of an object, and strict only where structured outputs take that. */
export function soundTool({ strict, ...tool }: Tool): Tool {
  const parameters =
    tool.parameters.type === 'object' ? tool.parameters : { ...tool.parameters, ...ANY_OBJECT };
  return { ...tool, parameters, ...(strict === true && takesSchema(parameters) ? { strict } : {}) };
}

/**
 * Keywords that structured outputs know (Claude API docs, Structured outputs, JSON Schema limitations; Amazon Bedrock
 * user guide, Structured outputs, JSON Schema support).
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
 * Returns whether structured outputs accept the schema: only known keywords, every object closed, and no recursion. Any
 * other schema is rejected with status 400.
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
