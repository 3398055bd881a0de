/** The requests of a probe in the format of chat completions (OpenAI API reference, Create chat completion). */
import type { Dialect } from '../../lambdas/core/inference/catalog/dialect.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';

/** Room for a word; the answers themselves are not looked at. */
export const FEW_TOKENS = 16;

/** Room for the beginning of a thought, and for a short JSON document. */
export const SOME_TOKENS = 128;

/** What every request of a probe has. */
export interface Base {
  readonly model: string;
  /** The name under which the host knows the bound of the output. */
  readonly boundField: NonNullable<Dialect['max_tokens_field']>;
}

export const user = (content: unknown): JsonObject => ({ role: 'user', content });
export const assistant = (content: string): JsonObject => ({ role: 'assistant', content });
export const GREETING = user('Say OK.');
export const SYSTEM: JsonObject = { role: 'system', content: 'Be brief.' };

/** A request of these messages, with other fields. */
export const chat = (
  { model, boundField }: Base,
  messages: readonly JsonObject[],
  { bound = FEW_TOKENS, ...fields }: JsonObject & { readonly bound?: number } = {},
): JsonObject => ({ model, messages, [boundField]: bound, ...fields });

/** Parameters that the strictest host takes: every property is required and has one type. */
export const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

export const tool = (parameters: JsonObject, fields: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name: 'weather', description: 'The weather of a city', parameters, ...fields },
});

const objectOf = (properties: JsonObject): JsonObject => ({
  ...CITY,
  properties,
  required: Object.keys(properties),
});

/** A tuple, a type beside `anyOf`, and an `enum` without a type. */
export const ELABORATE = objectOf({
  place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: { type: 'number' } },
  name: { type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 9 }] },
  unit: { enum: ['C', 'F'] },
});

/** A property that may be left out. */
export const OPTIONAL: JsonObject = {
  ...CITY,
  properties: { ...CITY.properties, unit: { type: 'string' } },
};

/** An id that every host takes: nine letters and digits. */
export const PLAIN_ID = 'abc123DEF';
/** One of the length and the signs that OpenAI's own have. */
export const USUAL_ID = 'call_9fK2mQ7xTz4LbW8cVn1R5sYd';

/** A conversation in which a tool was called and has answered; fields of the call's message, and of the call. */
export const toolTurn = (
  id: string,
  { message = {}, call = {} }: { readonly message?: JsonObject; readonly call?: JsonObject } = {},
): readonly JsonObject[] => [
  user('The weather in Rome?'),
  {
    ...assistant('I look it up.'),
    tool_calls: [
      { id, type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' }, ...call },
    ],
    ...message,
  },
  { role: 'tool', tool_call_id: id, content: 'Rain.' },
];
