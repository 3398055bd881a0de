/** The requirements of a schema for strict mode (OpenAI's guide "Structured outputs", "Supported schemas"). */
import { schemasIn } from '../exchange/schemas.ts';
import { rejectionAs } from '../openai/protocol.ts';

/** Every object is closed and requires all of its properties; `owner` names the schema in messages. Throws `RequestError`. */
export function checkStrict(schema: unknown, owner: string, param: string): void {
  for (const { node, context } of schemasIn(schema)) {
    if (![node.type].flat().includes('object')) continue;
    const required = [node.required].flat();
    const missing = Object.keys(Object(node.properties)).find((name) => !required.includes(name));
    const isOpen = node.additionalProperties !== false;
    if (!isOpen && missing === undefined) continue;
    const problem = isOpen
      ? "'additionalProperties' is required to be supplied and to be false."
      : `'required' is required to be an array including every key in properties. Missing '${missing}'.`;
    const place = `In context=(${context.map((key) => `'${key}'`).join(', ')})`;
    const code = param.startsWith('tools') ? 'invalid_function_parameters' : 'invalid_json_schema';
    throw rejectionAs(`Invalid schema for ${owner}: ${place}, ${problem}`, param, code);
  }
}
