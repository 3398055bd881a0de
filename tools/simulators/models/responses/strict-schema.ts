/** The requirements of a schema for strict mode (OpenAI's guide "Structured outputs", "Supported schemas"). */
import { rejectionAs } from '../openai/protocol.ts';

/** Keywords whose values are schemas by name, and those that hold one schema or a list. */
const NAMED = ['properties', '$defs', 'definitions'];
const LISTED = ['anyOf', 'items'];

interface SchemaLocation {
  /** The object of the schema, for messages: `function 'f'`. */
  readonly owner: string;
  readonly param: string;
  readonly code: string;
}

/** Every object is closed and requires all of its properties. Throws `RequestError`. */
export function checkStrict(
  schema: unknown,
  schemaLocation: SchemaLocation,
  context: readonly string[] = [],
): void {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as Readonly<Record<string, unknown>>;
  const reject = (problem: string) => {
    const where = `In context=(${context.map((key) => `'${key}'`).join(', ')})`;
    return rejectionAs(
      `Invalid schema for ${schemaLocation.owner}: ${where}, ${problem}`,
      schemaLocation.param,
      schemaLocation.code,
    );
  };
  if ([node.type].flat().includes('object')) {
    if (node.additionalProperties !== false)
      throw reject("'additionalProperties' is required to be supplied and to be false.");
    const required = Array.isArray(node.required) ? node.required : [];
    const missing = Object.keys(Object(node.properties)).find((name) => !required.includes(name));
    if (missing !== undefined)
      throw reject(
        "'required' is required to be supplied and to be an array including every key in properties. " +
          `Missing '${missing}'.`,
      );
  }
  for (const keyword of NAMED)
    for (const [name, inner] of Object.entries(Object(node[keyword])))
      checkStrict(inner, schemaLocation, [...context, keyword, name]);
  for (const keyword of LISTED)
    for (const [index, inner] of [node[keyword]].flat().entries())
      checkStrict(inner, schemaLocation, [...context, keyword, String(index)]);
}
