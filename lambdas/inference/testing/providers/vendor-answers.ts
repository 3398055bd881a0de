/** One plain answer as each protocol has it, whole and as a stream, with any end and any usage. */
import type { RouteProtocol, Wire } from './played.ts';

export interface VendorCall {
  readonly id: unknown;
  readonly name: string;
  /** JSON text, or a value in its place. */
  readonly arguments: unknown;
}

export interface VendorAnswer {
  readonly text?: string;
  readonly calls?: readonly VendorCall[];
  /** The vendor's own word; for Responses that of an incomplete response, `completed` for any other. */
  readonly end: unknown;
}

const inputOf = ({ arguments: text }: VendorCall): unknown =>
  typeof text === 'string' ? JSON.parse(text) : text;

type Encoding = (answer: VendorAnswer) => { readonly whole: Wire; readonly streamed: Wire };

const openai: Encoding = ({ text = '', calls = [], end }) => {
  const toolCalls = calls.map(({ id, name, arguments: json }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  const usage = { prompt_tokens: 5, completion_tokens: 2 };
  const chunk = (delta: object, reason: unknown = null) => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const message = {
    role: 'assistant',
    content: text,
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return {
    whole: { body: { choices: [{ index: 0, message, finish_reason: end }], usage } },
    streamed: {
      events: [
        ...(text === '' ? [] : [chunk({ role: 'assistant', content: text })]),
        ...toolCalls.map((call) => chunk({ tool_calls: [call] })),
        chunk({}, end),
        { choices: [], usage },
        '[DONE]',
      ],
    },
  };
};

const responses: Encoding = ({ text = '', calls = [], end }) => {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const items = [
    ...(text === ''
      ? []
      : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]),
    ...calls.map(({ id, name, arguments: json }) => ({
      type: 'function_call',
      id: 'fc_1',
      call_id: id,
      name,
      arguments: json,
    })),
  ];
  const usage = { input_tokens: 5, output_tokens: 2 };
  const ending =
    end === 'completed'
      ? { status: 'completed' }
      : { status: 'incomplete', incomplete_details: { reason: end } };
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    error: null,
    output: items,
    ...ending,
    usage,
  };
  const opening = { ...response, status: 'in_progress', output: [], usage: null };
  return {
    whole: { body: response },
    streamed: {
      events: [
        { type: 'response.created', response: opening },
        ...items.flatMap((item, output_index) => [
          { type: 'response.output_item.added', output_index, item },
          { type: 'response.output_item.done', output_index, item },
        ]),
        { type: `response.${ending.status}`, response },
      ],
    },
  };
};

const anthropic: Encoding = ({ text = '', calls = [], end }) => {
  const blocks = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) })),
  ];
  return {
    whole: { body: { content: blocks, stop_reason: end, usage: { input_tokens: 5, output_tokens: 2 } } },
    streamed: {
      events: [
        { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
        ...blocks.flatMap((block, index) => [
          'text' in block
            ? { type: 'content_block_start', index, content_block: { type: 'text', text: '' } }
            : { type: 'content_block_start', index, content_block: { ...block, input: {} } },
          'text' in block
            ? { type: 'content_block_delta', index, delta: { type: 'text_delta', text: block.text } }
            : {
                type: 'content_block_delta',
                index,
                delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
              },
          { type: 'content_block_stop', index },
        ]),
        {
          type: 'message_delta',
          delta: { stop_reason: end, stop_sequence: null },
          usage: { output_tokens: 2 },
        },
        { type: 'message_stop' },
      ],
    },
  };
};

const bedrock: Encoding = ({ text = '', calls = [], end }) => {
  const blocks = [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map((call) => ({ toolUse: { toolUseId: call.id, name: call.name, input: inputOf(call) } })),
  ];
  const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 };
  return {
    whole: { body: { output: { message: { role: 'assistant', content: blocks } }, stopReason: end, usage } },
    streamed: {
      events: [
        ['messageStart', { role: 'assistant' }],
        ...blocks.flatMap((block, contentBlockIndex) => [
          ...('toolUse' in block
            ? [
                [
                  'contentBlockStart',
                  { contentBlockIndex, start: { toolUse: { ...block.toolUse, input: undefined } } },
                ],
                [
                  'contentBlockDelta',
                  { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(block.toolUse.input) } } },
                ],
              ]
            : [['contentBlockDelta', { contentBlockIndex, delta: block }]]),
          ['contentBlockStop', { contentBlockIndex }],
        ]),
        ['messageStop', { stopReason: end }],
        ['metadata', { metrics: { latencyMs: 1 }, usage }],
      ],
    },
  };
};

const gemini: Encoding = ({ text = '', calls = [], end }) => {
  const parts = [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: inputOf(call) } })),
  ];
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2 };
  const body = (some: readonly object[], ending: object = {}) => ({
    candidates: [{ content: { role: 'model', parts: some }, ...ending }],
    usageMetadata,
  });
  return {
    whole: { body: body(parts, { finishReason: end }) },
    streamed: { events: [...parts.map((part) => body([part])), body([], { finishReason: end })] },
  };
};

export const ENCODINGS: Readonly<Record<RouteProtocol, Encoding>> = {
  openai,
  'openai-responses': responses,
  anthropic,
  bedrock,
  gemini,
};

/** The answer both ways, for tables of tests. */
export const waysOf = (route: RouteProtocol, answer: VendorAnswer): readonly Wire[] => {
  const { whole, streamed } = ENCODINGS[route](answer);
  return [whole, streamed];
};
