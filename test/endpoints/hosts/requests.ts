/** The requests of callers of the three formats. They are the same in each format, if the format can express them. */
import type { Format } from './callers.ts';

export const TEXT = 'one two three';
const REPEAT = `Repeat exactly: ${TEXT}`;

const MAX_TOKENS = 400;

/** A user's message alone. */
const requestsFor = (text: string): Readonly<Record<Format, object>> => ({
  chat: { messages: [{ role: 'user', content: text }], max_tokens: MAX_TOKENS },
  messages: { messages: [{ role: 'user', content: text }], max_tokens: MAX_TOKENS },
  responses: { input: text, max_output_tokens: MAX_TOKENS, store: false },
});

export const PLAIN = requestsFor(REPEAT);

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** A tool of these parameters, with other fields. */
const toolOf = (name: string, parameters: object, fields: object = {}): Readonly<Record<Format, object>> => ({
  chat: { type: 'function', function: { name, parameters, ...fields } },
  messages: { name, input_schema: parameters, ...fields },
  responses: { type: 'function', name, parameters, strict: false, ...fields },
});

/** The fields of several requests, format by format. */
const together = (
  ...requests: readonly Readonly<Record<Format, object>>[]
): Readonly<Record<Format, object>> => ({
  chat: Object.assign({}, ...requests.map(({ chat }) => chat)),
  messages: Object.assign({}, ...requests.map(({ messages }) => messages)),
  responses: Object.assign({}, ...requests.map(({ responses }) => responses)),
});

const toolsOf = (
  ...tools: readonly Readonly<Record<Format, object>>[]
): Readonly<Record<Format, object>> => ({
  chat: { tools: tools.map(({ chat }) => chat) },
  messages: { tools: tools.map(({ messages }) => messages) },
  responses: { tools: tools.map(({ responses }) => responses) },
});

export const CALLS = [
  { name: 'first', input: { city: 'Rome' } },
  { name: 'second', input: { city: 'Oslo' } },
];

/** Two tools are called at once. */
export const CALLING = together(
  requestsFor('call first {"city":"Rome"}\ncall second {"city":"Oslo"}'),
  toolsOf(toolOf('first', CITY), toolOf('second', CITY)),
);

/** The model is asked to think. */
export const THINKING = together(PLAIN, {
  chat: { reasoning_effort: 'high', max_tokens: 3_000 },
  messages: { thinking: { type: 'enabled', budget_tokens: 1_500 }, max_tokens: 3_000 },
  responses: { reasoning: { effort: 'high' }, max_output_tokens: 3_000 },
});

export const JSON_TEXT = '{"answer":"yes"}';
const schema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};

/** The answer is JSON. */
export const JSON_OUTPUT = together(requestsFor(`Answer exactly: ${JSON_TEXT}`), {
  chat: { response_format: { type: 'json_object' } },
  messages: { output_config: { format: { type: 'json_schema', schema } } },
  responses: { text: { format: { type: 'json_object' } } },
});

/** Several properties of which one may be left out, a tuple, a type beside `anyOf`, and an `enum` without a type. */
const ELABORATE = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
    name: { type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 9 }] },
    unit: { enum: ['C', 'F'] },
  },
  required: ['city'],
};

const ID = 'call_9fK2mQ7xTz4LbW8cVn1R5sYd';
const ARGUMENTS = '{"city":"Rome"}';

/** Everything that strict hosts refuse some of, in one conversation that ends in a text to repeat. */
export const EVERYTHING: Readonly<Record<Format, object>> = together(
  toolsOf(toolOf('weather', ELABORATE, { strict: false })),
  {
    chat: {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'The weather?' },
            { type: 'text', text: 'In Rome.' },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: ID, type: 'function', function: { name: 'weather', arguments: ARGUMENTS } }],
        },
        { role: 'tool', tool_call_id: ID, content: 'Rain.' },
        { role: 'user', content: 'And now?' },
        { role: 'assistant', content: '' },
        { role: 'system', content: 'Be polite.' },
        { role: 'user', content: REPEAT },
      ],
      max_completion_tokens: MAX_TOKENS,
      store: false,
      parallel_tool_calls: false,
    },
    messages: {
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'The weather?' },
            { type: 'text', text: 'In Rome.' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: ID, name: 'weather', input: { city: 'Rome' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: ID, content: 'Rain.' },
            { type: 'text', text: 'And now?' },
          ],
        },
        { role: 'assistant', content: 'The same.' },
        { role: 'system', content: 'Be polite.' },
        { role: 'user', content: REPEAT },
      ],
      max_tokens: MAX_TOKENS,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    responses: {
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'The weather?' },
            { type: 'input_text', text: 'In Rome.' },
          ],
        },
        { type: 'function_call', call_id: ID, name: 'weather', arguments: ARGUMENTS },
        { type: 'function_call_output', call_id: ID, output: 'Rain.' },
        { role: 'user', content: 'And now?' },
        { role: 'assistant', content: '' },
        { role: 'system', content: 'Be polite.' },
        { role: 'user', content: REPEAT },
      ],
      max_output_tokens: MAX_TOKENS,
      store: false,
      parallel_tool_calls: false,
    },
  },
);

/** A tool of the Responses API that takes any text. */
export const CUSTOM = {
  input: 'call note {"input":"hello"}',
  max_output_tokens: MAX_TOKENS,
  store: false,
  tools: [{ type: 'custom', name: 'note' }],
};
