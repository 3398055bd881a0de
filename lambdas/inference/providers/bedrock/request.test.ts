import { describe, expect, it } from '@jest/globals';
import type { Conversation, Tool, Turn } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { CONVERSATION } from '../../testing/providers/payloads.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { assistant, text, toolCall, toolResult, user } from '../../testing/providers/turns.ts';
import { type ConverseCall, toConverseCall } from './request.ts';

const CLAUDE = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';
const NOVA = 'amazon.nova-lite-v1:0';

const callFor = (conversation: Partial<Conversation>, model = NOVA, reasoning = false): ConverseCall =>
  toConverseCall({ ...CONVERSATION, ...conversation }, { upstream_model: model, reasoning }, SIGNATURES);

const requestFor = (...args: Parameters<typeof callFor>) => callFor(...args).request;
const messagesFor = (turns: readonly Turn[]) => requestFor({ turns }).messages;

const WEATHER: Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const WEATHER_SPEC = {
  toolSpec: {
    name: WEATHER.name,
    description: WEATHER.description,
    inputSchema: { json: WEATHER.parameters },
  },
};
const TIME: Tool = { name: 'get_time', parameters: { type: 'object', properties: {} } };
const TIME_SPEC = { toolSpec: { name: 'get_time', inputSchema: { json: TIME.parameters } } };

describe('a conversation for Converse', () => {
  it('contains its texts, under the route’s model', () => {
    const turns = [user('Hi'), assistant('Hello!'), user('Bye')];
    expect(requestFor({ system: ['Be brief.', '', 'Be kind.'], turns })).toEqual({
      modelId: NOVA,
      system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }] },
        { role: 'assistant', content: [{ text: 'Hello!' }] },
        { role: 'user', content: [{ text: 'Bye' }] },
      ],
      inferenceConfig: { maxTokens: 256 },
    });
  });

  it('contains tool calls as objects, and their results before everything else', () => {
    const image = {
      type: 'image',
      source: { kind: 'base64', mediaType: 'image/webp', data: 'AQI=' },
    } as const;
    const turns = [
      user('Weather?'),
      assistant(toolCall('call_1', 'get_weather', '{"city":"Łódź"}')),
      assistant(toolCall('call_2', 'get_time', '')),
      user('And?', toolResult('call_1', [text(''), text('Rain'), image])),
      user(toolResult('call_2', '', true)),
    ];
    expect(messagesFor(turns)).toEqual([
      { role: 'user', content: [{ text: 'Weather?' }] },
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Łódź' } } },
          { toolUse: { toolUseId: 'call_2', name: 'get_time', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            toolResult: {
              toolUseId: 'call_1',
              content: [
                { text: 'Rain' },
                { image: { format: 'webp', source: { bytes: Buffer.from([1, 2]) } } },
              ],
            },
          },
          { toolResult: { toolUseId: 'call_2', content: [{ text: '(empty)' }], status: 'error' } },
          { text: 'And?' },
        ],
      },
    ]);
  });

  it.each([
    ['image/png', 'png'],
    ['image/jpeg', 'jpeg'],
    ['image/jpg', 'jpeg'],
    ['image/gif', 'gif'],
    ['image/webp', 'webp'],
  ])('contains images by their format: %s', (mediaType, format) => {
    const image = { type: 'image', source: { kind: 'base64', mediaType, data: 'AQI=' } } as const;
    expect(messagesFor([user(image)])).toEqual([
      { role: 'user', content: [{ image: { format, source: { bytes: Buffer.from([1, 2]) } } }] },
    ]);
  });

  it('rejects images of any other format', () => {
    const image = {
      type: 'image',
      source: { kind: 'base64', mediaType: 'image/tiff', data: 'AQI=' },
    } as const;
    expect(() => messagesFor([user(image)])).toThrow(UpstreamFailure);
    expect(() => messagesFor([user(image)])).toThrow(
      expect.objectContaining({ retryable: false, status: 415 }),
    );
  });
});

describe('the sampling of Converse', () => {
  it.each([
    [{ temperature: 0 }, { temperature: 0 }],
    [{ temperature: 1.7 }, { temperature: 1 }],
    // Claude refuses both together.
    [{ temperature: 0.7, topP: 0.9 }, { topP: 0.9 }],
    [{ topP: 0.9 }, { topP: 0.9 }],
    [{ stop: ['END', '\n', ''] }, { stopSequences: ['END', '\n'] }],
    [{ stop: [''] }, {}],
  ])('converts %j to %j', (args, expected) => {
    expect(requestFor(args).inferenceConfig).toEqual({ maxTokens: 256, ...expected });
  });

  it('requests the matched stop sequence from Claude, and omits stop sequences of white space', () => {
    expect(requestFor({ stop: ['END', '\n'] }, CLAUDE)).toMatchObject({
      inferenceConfig: { stopSequences: ['END'] },
      additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
    });
    expect(requestFor({ stop: ['\n'] }, CLAUDE)).not.toHaveProperty('additionalModelResponseFieldPaths');
    expect(requestFor({ stop: ['END'] }, NOVA)).not.toHaveProperty('additionalModelResponseFieldPaths');
    const profile =
      'arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0';
    expect(requestFor({ stop: ['END'] }, profile)).toHaveProperty('additionalModelResponseFieldPaths');
  });

  it('ignores parallel tool calls and the caller’s user', () => {
    expect(requestFor({ parallelToolCalls: false, user: 'u-1' })).toEqual(requestFor({}));
  });
});

describe('the tools of Converse', () => {
  const tools = [WEATHER, TIME];
  const specs = [WEATHER_SPEC, TIME_SPEC];

  it.each([
    [undefined, {}],
    [{ type: 'auto' }, {}],
    [{ type: 'any' }, { toolChoice: { any: {} } }],
    [{ type: 'tool', name: 'get_time' }, { toolChoice: { tool: { name: 'get_time' } } }],
  ] as const)('appear with the caller’s choice: %j', (toolChoice, expected) => {
    const { toolConfig } = requestFor({ tools, ...(toolChoice && { toolChoice }) });
    expect(toolConfig).toEqual({ tools: specs, ...expected });
  });

  it('disappear if the model must not call them', () => {
    expect(requestFor({ tools, toolChoice: { type: 'none' } })).not.toHaveProperty('toolConfig');
  });

  it('remain if they were called but must not be called again, because Converse requires them then', () => {
    const turns = [user('a'), assistant(toolCall('1', 'get_weather')), user(toolResult('1', 'Rain'))];
    expect(requestFor({ turns, tools, toolChoice: { type: 'none' } }).toolConfig).toEqual({
      tools: [WEATHER_SPEC],
    });
  });

  it('appear by name if the caller declares none and the conversation called some', () => {
    const turns = [user('a'), assistant(toolCall('1', 'old_tool')), user(toolResult('1', 'x'))];
    const stand = { toolSpec: { name: 'old_tool', inputSchema: { json: { type: 'object' } } } };
    expect(requestFor({ turns }).toolConfig).toEqual({ tools: [stand] });
    expect(requestFor({ turns, tools: [TIME] }).toolConfig).toEqual({ tools: [TIME_SPEC] });
  });

  it('accept only objects as input, and are strict only if their schema allows it', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    const args: Tool[] = [
      { name: 'a', description: ' ', parameters: {}, strict: true },
      { name: 'b', parameters: closed, strict: true },
      { name: 'c', parameters: closed, strict: false },
    ];
    expect(requestFor({ tools: args }).toolConfig?.tools).toEqual([
      { toolSpec: { name: 'a', inputSchema: { json: { type: 'object' } } } },
      { toolSpec: { name: 'b', inputSchema: { json: closed }, strict: true } },
      { toolSpec: { name: 'c', inputSchema: { json: closed } } },
    ]);
  });
});

describe('JSON output requested from Converse', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'integer' } },
    required: ['a'],
    additionalProperties: false,
  };
  const open = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } };
  const json = { format: { type: 'json' } } as const;
  const spec = (name: string, schema: object = { type: 'object' }) => ({
    toolSpec: { name, description: expect.any(String), inputSchema: { json: schema } },
  });

  it('uses structured output if it has a schema', () => {
    const format = {
      type: 'json-schema',
      name: 'answer',
      description: 'An answer.',
      schema: closed,
      strict: true,
    } as const;
    const { request, answerTool } = callFor({ format });
    expect(request).toEqual({
      ...requestFor({}),
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: {
            jsonSchema: { name: 'answer', description: 'An answer.', schema: JSON.stringify(closed) },
          },
        },
      },
    });
    expect(answerTool).toBeUndefined();
  });

  it('becomes the input of a tool if structured output does not accept its schema', () => {
    const { request, answerTool } = callFor({ format: { type: 'json-schema', schema: open } });
    expect(request.toolConfig).toEqual({ tools: [spec('json_answer', open)], toolChoice: { any: {} } });
    expect(request).not.toHaveProperty('outputConfig');
    expect(answerTool).toBe('json_answer');
  });

  it('becomes the input of a tool if it has no schema', () => {
    const { request, answerTool } = callFor(json);
    expect(request.toolConfig).toEqual({ tools: [spec('json_answer')], toolChoice: { any: {} } });
    expect(answerTool).toBe('json_answer');
  });

  it('permits another tool call if the caller lets the model choose', () => {
    expect(requestFor({ ...json, tools: [WEATHER] }).toolConfig).toEqual({
      tools: [WEATHER_SPEC, spec('json_answer')],
      toolChoice: { any: {} },
    });
  });

  it('requires the answer tool if the caller forbids its tools, also after calls of them', () => {
    const none = { ...json, tools: [WEATHER, TIME], toolChoice: { type: 'none' } } as const;
    expect(requestFor(none).toolConfig).toEqual({ tools: [spec('json_answer')], toolChoice: { any: {} } });
    const turns = [user('a'), assistant(toolCall('1', 'get_weather')), user(toolResult('1', 'Rain'))];
    expect(requestFor({ ...none, turns }).toolConfig).toEqual({
      tools: [WEATHER_SPEC, spec('json_answer')],
      toolChoice: { tool: { name: 'json_answer' } },
    });
  });

  it.each([
    [{ type: 'any' }, { any: {} }],
    [{ type: 'tool', name: 'get_weather' }, { tool: { name: 'get_weather' } }],
  ] as const)('yields to a call that the caller requires: %j', (toolChoice, choice) => {
    const { request, answerTool } = callFor({ ...json, tools: [WEATHER], toolChoice });
    expect(request.toolConfig).toEqual({ tools: [WEATHER_SPEC], toolChoice: choice });
    expect(answerTool).toBeUndefined();
  });

  it('appears as a system text if the model cannot be forced to call a tool', () => {
    const { request, answerTool } = callFor({ ...json, system: ['Be brief.'] }, CLAUDE, true);
    expect(request.system).toEqual([
      { text: 'Be brief.' },
      { text: expect.stringContaining('one JSON object') },
    ]);
    expect(request).not.toHaveProperty('toolConfig');
    expect(answerTool).toBeUndefined();
    const schema = requestFor({ format: { type: 'json-schema', schema: open } }, CLAUDE, true).system;
    expect(schema?.at(-1)?.text).toContain(JSON.stringify(open));
  });
});
