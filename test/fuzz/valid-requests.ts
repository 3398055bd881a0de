/** Valid requests of each surface, with a bit of everything, to be spoiled. */
import type { SurfaceName } from './running-service.ts';

const TOOL = {
  name: 'weather',
  description: 'Reports',
  parameters: { type: 'object', properties: { a: {} } },
};
const PNG = 'data:image/png;base64,aGk=';
const CUSTOM_TOOL = {
  type: 'custom',
  name: 'patch',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "+"' },
};

const chatRequests = (model: string) => [
  { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 8 },
  {
    model,
    stream: true,
    stream_options: { include_usage: true },
    n: 1,
    stop: ['x'],
    temperature: 0.5,
    max_completion_tokens: 8,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }], name: 's' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
        ],
      },
    ],
    provider: { order: ['chat-openai'], allow_fallbacks: true },
  },
  {
    model,
    max_tokens: 8,
    messages: [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
      { role: 'user', content: 'Go on' },
    ],
    tools: [{ type: 'function', function: TOOL }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'j', schema: { type: 'object' } } },
    models: [],
  },
];

const messagesRequests = (model: string) => [
  { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 8 },
  {
    model,
    stream: true,
    max_tokens: 8,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        ],
      },
    ],
    metadata: { user_id: 'u' },
    stop_sequences: ['x'],
    temperature: 0.5,
  },
  {
    model,
    max_tokens: 8,
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'weather', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'text', text: 'Sunny' }],
            is_error: false,
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Words' }, title: 'T' },
        ],
      },
    ],
    tools: [{ name: 'weather', description: 'Reports', input_schema: TOOL.parameters }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  },
];

const responsesRequests = (model: string): readonly object[] => [
  { model, max_output_tokens: 8, store: false, input: 'Hi' },
  {
    model,
    max_output_tokens: 8,
    store: false,
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
    ],
    tools: [{ type: 'function', name: 'weather', parameters: TOOL.parameters, strict: false }],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'low', summary: 'auto' },
    text: { format: { type: 'json_object' } },
    include: ['reasoning.encrypted_content'],
    metadata: { a: 'b' },
    temperature: 0.5,
  },
  {
    model,
    stream: true,
    max_output_tokens: 8,
    stream_options: { include_obfuscation: false },
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', image_url: PNG, detail: 'low' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'So' }] },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', namespace: 'files', input: '+a' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'done' }] },
    ],
    tools: [CUSTOM_TOOL, { type: 'namespace', name: 'files', description: 'Files', tools: [CUSTOM_TOOL] }],
    tool_choice: {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [{ type: 'custom', name: 'patch', namespace: 'files' }],
    },
    text: { format: { type: 'json_schema', name: 'j', schema: { type: 'object' } }, verbosity: 'low' },
    client_metadata: { a: 'b' },
    safety_identifier: 'u',
    truncation: 'disabled',
  },
];

const CHAT_MODELS = ['sim/openai', 'sim/anthropic', 'sim/bedrock'];

export const VALID: Readonly<Record<SurfaceName, readonly object[]>> = {
  chat: CHAT_MODELS.flatMap(chatRequests),
  messages: CHAT_MODELS.flatMap(messagesRequests),
  responses: [...CHAT_MODELS, 'sim/openai-responses'].flatMap(responsesRequests),
  count_tokens: messagesRequests('sim/anthropic'),
  input_tokens: responsesRequests('sim/openai'),
  embeddings: [
    { model: 'sim/embed', input: 'words', encoding_format: 'float', user: 'u' },
    { input: ['one', 'two'], encoding_format: 'base64', dimensions: 8 },
    { model: 'sim/embed', input: [[1, 2], [3]], provider: { only: ['openai'] } },
  ],
  images: [
    { model: 'sim/image', prompt: 'a cat', n: 1, size: '512x512', response_format: 'b64_json' },
    { model: 'sim/image', prompt: 'a cat', response_format: 'b64_json', user: 'u' },
  ],
  speech: [
    {
      model: 'sim/speech',
      input: 'Hi',
      voice: 'alloy',
      response_format: 'wav',
      speed: 1,
      instructions: 'slowly',
    },
  ],
};

export const CORPUS = Object.values(VALID).flat();

export const TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'application/xml',
  '',
];
