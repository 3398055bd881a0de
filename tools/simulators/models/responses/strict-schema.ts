/** The requirements of a schema for strict mode (OpenAI's guide "Structured outputs", "Supported schemas"). */
import { refusalAs } from '../openai/protocol.ts';

/** Keywords whose values are schemas by name, and those that hold one schema or a list. */
const NAMED = ['properties', '$defs', 'definitions'];
const LISTED = ['anyOf', 'items'];

interface Place {
  /** The object of the schema, for messages: `function 'f'`. */
  readonly owner: string;
  readonly param: string;
  readonly code: string;
}

/** Every object is closed and requires all of its properties. Throws `RequestError`. */
export function checkStrict(schema: unknown, place: Place, context: readonly string[] = []): void {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as Readonly<Record<string, unknown>>;
  const refuse = (problem: string) => {
    const where = `In context=(${context.map((key) => `'${key}'`).join(', ')})`;
    return refusalAs(`Invalid schema for ${place.owner}: ${where}, ${problem}`, place.param, place.code);
  };
  if ([node.type].flat().includes('object')) {
    if (node.additionalProperties !== false)
      throw refuse("'additionalProperties' is required to be supplied and to be false.");
    const required = Array.isArray(node.required) ? node.required : [];
    const missing = Object.keys(Object(node.properties)).find((name) => !required.includes(name));
    if (missing !== undefined)
      throw refuse(
        "'required' is required to be supplied and to be an array including every key in properties. " +
          `Missing '${missing}'.`,
      );
  }
  for (const keyword of NAMED)
    for (const [name, inner] of Object.entries(Object(node[keyword])))
      checkStrict(inner, place, [...context, keyword, name]);
  for (const keyword of LISTED)
    for (const [index, inner] of [node[keyword]].flat().entries())
      checkStrict(inner, place, [...context, keyword, String(index)]);
}
