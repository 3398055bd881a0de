import { describe, expect, it } from '@jest/globals';
import type { Conversation, Tool } from '../../core/upstream/conversation.ts';
import { foreignPayload, nativePayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { assistant, toolCall, toolResult, user } from '../../testing/providers/turns.ts';
import { toRequest, type UpstreamMessages } from './request.ts';

const ROUTE = { upstream_model: 'claude-sonnet-4-5', reasoning: false };

const requestFor = (conversation: Partial<Conversation>, reasoning = false): UpstreamMessages =>
  toRequest(foreignPayload(conversation), { ...ROUTE, reasoning }, SIGNATURES);

const bodyOf = (conversation: Partial<Conversation>) => requestFor(conversation).body;

const BASE = {
  model: 'claude-sonnet-4-5',
  stream: false,
  max_tokens: 256,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Grüße' }] }],
};

const WEATHER: Tool = {
  name: 'get_weather',
  description: 'Weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const WEATHER_BODY = {
  name: 'get_weather',
  description: 'Weather of a city.',
  input_schema: WEATHER.parameters,
};

const CALLED = [user('Hi'), assistant(toolCall('call_1', 'get_time')), user(toolResult('call_1', '12:00'))];

describe('the request of a caller of the protocol', () => {
  it('equals the caller’s request, including fields unknown to the service, under the route’s model name', () => {
    const body = {
      messages: [
        { role: 'user', content: [{ type: 'text', text: ' ', cache_control: { type: 'ephemeral' } }] },
      ],
      max_tokens: 2048,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      metadata: { user_id: 'u' },
      vendor_extension: { nested: [1, null] },
    };
    for (const stream of [true, false]) {
      const payload = nativePayload({ ...body, model: 'sim/chat', stream: !stream }, stream);
      const before = structuredClone(payload.body);
      expect(toRequest(payload, ROUTE, SIGNATURES)).toEqual({
        body: { ...body, model: 'claude-sonnet-4-5', stream },
      });
      expect(payload.body).toEqual(before);
    }
  });
});

describe('the request of a conversation', () => {
  it('contains everything that both protocols express', () => {
    const conversation: Conversation = {
      system: ['Be brief.', 'Answer in German.'],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      tools: [WEATHER],
      toolChoice: { type: 'auto' },
      parallelToolCalls: true,
      maxTokens: 512,
      temperature: 0.7,
      stop: ['END', '\n', ''],
      user: 'user-7',
    };
    expect(toRequest(foreignPayload(conversation, true), ROUTE, SIGNATURES)).toEqual({
      body: {
        model: 'claude-sonnet-4-5',
        stream: true,
        max_tokens: 512,
        system: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'Answer in German.' },
        ],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        temperature: 0.7,
        stop_sequences: ['END'],
        tools: [WEATHER_BODY],
        tool_choice: { type: 'auto' },
        metadata: { user_id: 'user-7' },
      },
    });
  });

  it('contains nothing that the conversation does not contain', () => {
    expect(requestFor({})).toEqual({ body: BASE });
    expect(bodyOf({ system: ['', ' \n'], stop: ['\n'] })).toEqual(BASE);
  });

  it('contains a single system text as a string', () => {
    expect(bodyOf({ system: ['Be brief.', ' '] })).toEqual({ ...BASE, system: 'Be brief.' });
  });

  it.each([
    [{ temperature: 0 }, { temperature: 0 }],
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ topP: 0.9 }, { top_p: 0.9 }],
    [{ topP: 0.9, temperature: 0.7 }, { top_p: 0.9 }],
  ])('contains one sampling parameter within its range: %j', (request, sentFields) => {
    expect(bodyOf(request)).toEqual({ ...BASE, ...sentFields });
  });

  it('omits a user id that the protocol would reject', () => {
    expect(bodyOf({ user: 'x'.repeat(256) }).metadata).toEqual({ user_id: 'x'.repeat(256) });
    expect(bodyOf({ user: 'x'.repeat(257) })).toEqual(BASE);
  });
});

describe('the tools of a request', () => {
  it('receive an object schema, and remain strict if the caller requests that and the protocol supports the schema', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    const tools: Tool[] = [
      { name: 'a', parameters: closed, strict: true },
      { name: 'b', parameters: closed, strict: false },
      { name: 'c', parameters: { type: 'object' }, strict: true },
      // Without a type it becomes one of any object.
      { name: 'd', parameters: {}, strict: true },
      { name: 'e', parameters: { properties: { x: { type: 'string' } } } },
    ];
    expect(bodyOf({ tools }).tools).toEqual([
      { name: 'a', input_schema: closed, strict: true },
      { name: 'b', input_schema: closed },
      { name: 'c', input_schema: { type: 'object' } },
      { name: 'd', input_schema: { type: 'object' } },
      { name: 'e', input_schema: { properties: { x: { type: 'string' } }, type: 'object' } },
    ]);
  });

  it.each([
    [undefined, undefined, undefined],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'auto' }, true, { type: 'auto' }],
    [{ type: 'auto' }, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'any' }, undefined, { type: 'any' }],
    [{ type: 'any' }, false, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'none' }, false, { type: 'none' }],
    [{ type: 'tool', name: 'get_weather' }, undefined, { type: 'tool', name: 'get_weather' }],
    [
      { type: 'tool', name: 'get_weather' },
      false,
      { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
    ],
  ] as const)(
    'follow the caller’s tool choice: %j, parallel %s',
    (toolChoice, parallelToolCalls, sentFields) => {
      const request = {
        ...(toolChoice === undefined ? {} : { toolChoice }),
        ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
      };
      const { tool_choice: choice, tools } = bodyOf({ tools: [WEATHER], ...request });
      expect(tools).toEqual([WEATHER_BODY]);
      expect(choice).toEqual(sentFields);
    },
  );

  it('list the tools that were called and forbid further calls if the caller no longer declares any', () => {
    const { tools, tool_choice: choice } = bodyOf({ turns: [...CALLED, ...CALLED] });
    expect(tools).toEqual([{ name: 'get_time', input_schema: { type: 'object' } }]);
    expect(choice).toEqual({ type: 'none' });
    expect(bodyOf({ turns: CALLED, tools: [WEATHER] }).tools).toEqual([WEATHER_BODY]);
  });

  it('omit the tool choice if there are no tools, except one that the server has to reject', () => {
    expect(bodyOf({ toolChoice: { type: 'auto' }, parallelToolCalls: false })).toEqual(BASE);
    expect(bodyOf({ toolChoice: { type: 'none' } })).toEqual(BASE);
    expect(bodyOf({ toolChoice: { type: 'any' } })).toEqual({ ...BASE, tool_choice: { type: 'any' } });
  });
});

describe('the output format', () => {
  const closed = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const open = { type: 'object', properties: { city: { type: 'string' } } };
  const json = { format: { type: 'json' } } as const;
  const use = 'Call this tool once to give the whole answer: the input is the answer.';
  const answerTool = { name: 'json_answer', description: use, input_schema: { type: 'object' } };
  const forced = { type: 'tool', name: 'json_answer', disable_parallel_tool_use: true };

  it('uses structured outputs if they accept the schema', () => {
    const format = { type: 'json-schema', schema: closed, name: 'place', strict: true } as const;
    expect(requestFor({ format })).toEqual({
      body: { ...BASE, output_config: { format: { type: 'json_schema', schema: closed } } },
    });
    const { tools, output_config: config } = bodyOf({ format, tools: [WEATHER] });
    expect({ tools, config }).toEqual({
      tools: [WEATHER_BODY],
      config: { format: { type: 'json_schema', schema: closed } },
    });
  });

  it('becomes the input of a tool if structured outputs do not accept the schema', () => {
    const format = { type: 'json-schema', schema: open, description: 'A place.' } as const;
    expect(requestFor({ format })).toEqual({
      body: {
        ...BASE,
        tools: [{ name: 'json_answer', description: `${use} A place.`, input_schema: open }],
        tool_choice: forced,
      },
      answerTool: 'json_answer',
    });
  });

  it('leaves a schema to the server to reject if nothing else can express it', () => {
    for (const schema of [
      { type: 'array', items: { type: 'string' }, maxItems: 2 },
      { oneOf: [open, closed] },
    ]) {
      expect(requestFor({ format: { type: 'json-schema', schema } })).toEqual({
        body: { ...BASE, output_config: { format: { type: 'json_schema', schema } } },
      });
    }
  });

  it('accepts any object as the input of a tool that must be called', () => {
    expect(requestFor(json)).toEqual({
      body: { ...BASE, tools: [answerTool], tool_choice: forced },
      answerTool: 'json_answer',
    });
  });

  it('leaves the model its tools in addition to the answer tool', () => {
    for (const toolChoice of [{}, { toolChoice: { type: 'auto' } }] as const) {
      const { body, answerTool: name } = requestFor({ ...json, ...toolChoice, tools: [WEATHER] });
      expect(name).toBe('json_answer');
      expect(body).toEqual({ ...BASE, tools: [WEATHER_BODY, answerTool], tool_choice: { type: 'any' } });
    }
    expect(bodyOf({ ...json, tools: [WEATHER], parallelToolCalls: false }).tool_choice).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    });
  });

  it('leaves it only the answer tool if the caller forbids calls', () => {
    expect(bodyOf({ ...json, tools: [WEATHER], toolChoice: { type: 'none' } })).toEqual({
      ...BASE,
      tools: [WEATHER_BODY, answerTool],
      tool_choice: forced,
    });
    expect(bodyOf({ ...json, turns: CALLED })).toMatchObject({
      tools: [{ name: 'get_time' }, { name: 'json_answer' }],
      tool_choice: forced,
    });
  });

  it.each([{ type: 'any' }, { type: 'tool', name: 'get_weather' }] as const)(
    'leaves it only the call where the caller insists on one: %j',
    (toolChoice) => {
      expect(requestFor({ ...json, tools: [WEATHER], toolChoice })).toEqual({
        body: { ...BASE, tools: [WEATHER_BODY], tool_choice: toolChoice },
      });
    },
  );

  it('receives a tool name that is not in use', () => {
    const tools = [{ ...WEATHER, name: 'json_answer' }];
    const turns = [...CALLED, assistant(toolCall('call_2', 'json_answer_2'))];
    expect(requestFor({ ...json, tools, turns }).answerTool).toBe('json_answer_3');
  });

  it('instructs a reasoning model in text, because the model rejects a forced tool call', () => {
    const request = 'Answer with one JSON object and nothing else: no code fence, no words around it.';
    expect(requestFor({ ...json, system: ['Be brief.'], tools: [WEATHER] }, true)).toEqual({
      body: {
        ...BASE,
        system: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: request },
        ],
        tools: [WEATHER_BODY],
      },
    });
    expect(requestFor({ format: { type: 'json-schema', schema: open } }, true).body).toEqual({
      ...BASE,
      system: [
        { type: 'text', text: request },
        { type: 'text', text: `The object conforms to this JSON Schema: ${JSON.stringify(open)}` },
      ],
    });
    expect(requestFor({ format: { type: 'json-schema', schema: closed } }, true).body).toEqual({
      ...BASE,
      output_config: { format: { type: 'json_schema', schema: closed } },
    });
  });
});
