import { describe, expect, it } from '@jest/globals';
import {
  PNG,
  request,
  requestOf,
  toolTurns,
  withBlocks,
} from '../../testing/completions/messages/request-fixture.ts';

const inUser = (block: unknown) => ({ messages: [{ role: 'user', content: [block] }] });
const PDF = { type: 'base64', media_type: 'application/pdf' };
const tool = { name: 'f', input_schema: { type: 'object' } };

describe('the schema of a Messages request', () => {
  it('accepts every field of the interface, and null for each optional one', () => {
    const full = {
      model: 'a/b',
      messages: toolTurns({ city: 'Oslo' }, { content: [{ type: 'text', text: 'sunny' }], is_error: false }),
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      max_tokens: 10,
      temperature: 1,
      top_p: 0.5,
      top_k: 5,
      stop_sequences: ['END'],
      stream: true,
      tools: [{ ...tool, description: 'd', strict: true }],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'low' },
      metadata: { user_id: 'u' },
    };
    expect(request(full)).toEqual(full);
    const optional = Object.keys(full).filter((name) => name !== 'model' && name !== 'messages');
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect(request(nulls)).toMatchObject(nulls);
  });

  it('allows unknown fields, blocks, tools and types of thinking', () => {
    const unknown = {
      messages: [
        { role: 'user', content: [{ type: 'search_result', source: 's', content: [{ type: 'x' }] }] },
        { role: 'assistant', content: [{ type: 'server_tool_use', id: 'i', name: 'web_search', input: {} }] },
        { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
      ],
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }, { type: 'mcp_toolset' }],
      thinking: { type: 'adaptive', display: 'omitted' },
      service_tier: 'auto',
      container: 'c',
    };
    expect(request(unknown)).toMatchObject(unknown);
  });

  it('preserves integers in tool inputs to the last digit', () => {
    const json =
      '{"model":"a/b","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f",' +
      '"input":{"n":12345678901234567890,"deep":[{"x":-98765432109876543210}]}}]}]}';
    expect(JSON.stringify(requestOf(json))).toBe(json);
  });

  it('takes a fraction of more digits than a double holds', () => {
    const json =
      '{"model":"a/b","messages":[{"role":"user","content":"Hi"}],"temperature":0.69999998807907104}';
    expect(requestOf(json).temperature).toBe(0.699999988079071);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['model', { model: undefined }, 'missing_field'],
    ['model', { model: 5 }, 'invalid_value'],
    ['messages', { messages: undefined }, 'missing_field'],
    ['messages', { messages: [] }, 'invalid_value'],
    ['messages[0].role', { messages: [{ role: 'developer', content: 'x' }] }, 'invalid_value'],
    ['messages[0].role', { messages: [{ content: 'x' }] }, 'missing_field'],
    ['messages[0].content', { messages: [{ role: 'user' }] }, 'missing_field'],
    ['messages[0].content', { messages: [{ role: 'user', content: [] }] }, 'invalid_value'],
    ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }, 'invalid_value'],
    ['system', { system: 5 }, 'invalid_value'],
    ['system[0].text', { system: [{ type: 'text' }] }, 'missing_field'],
    ['system[0].type', { system: [{ type: 'image', text: '' }] }, 'invalid_value'],
    ['max_tokens', { max_tokens: 0 }, 'invalid_value'],
    ['max_tokens', { max_tokens: 1.5 }, 'invalid_value'],
    ['temperature', { temperature: 2.1 }, 'invalid_value'],
    ['top_p', { top_p: -0.1 }, 'invalid_value'],
    ['top_k', { top_k: 0.5 }, 'invalid_value'],
    ['stop_sequences', { stop_sequences: 'x' }, 'invalid_value'],
    ['stop_sequences[0]', { stop_sequences: [''] }, 'invalid_value'],
    ['stream', { stream: 'yes' }, 'invalid_value'],
    ['tools[0].name', { tools: [{ input_schema: {} }] }, 'missing_field'],
    ['tools[0].name', { tools: [{ ...tool, name: 'a b' }] }, 'invalid_value'],
    ['tools[0].input_schema', { tools: [{ name: 'f' }] }, 'missing_field'],
    ['tools[0].input_schema', { tools: [{ type: 'custom', name: 'f', input_schema: 5 }] }, 'invalid_value'],
    ['tool_choice', { tool_choice: { type: 'any' } }, 'invalid_value'],
    ['tool_choice', { tools: [], tool_choice: { type: 'tool', name: 'f' } }, 'invalid_value'],
    ['tool_choice', { tools: [tool], tool_choice: 'auto' }, 'invalid_value'],
    [
      'tool_choice.disable_parallel_tool_use',
      { tools: [tool], tool_choice: { type: 'auto', disable_parallel_tool_use: 'yes' } },
      'invalid_value',
    ],
    ['tools[0].description', { tools: [{ ...tool, description: 5 }] }, 'invalid_value'],
    ['tools[0].strict', { tools: [{ ...tool, strict: 'yes' }] }, 'invalid_value'],
    ['tool_choice.type', { tools: [tool], tool_choice: { type: 'required' } }, 'invalid_value'],
    ['tool_choice.name', { tools: [tool], tool_choice: { type: 'tool' } }, 'missing_field'],
    ['tool_choice.name', { tools: [tool], tool_choice: { type: 'tool', name: 'g' } }, 'invalid_value'],
    ['thinking.type', { thinking: {} }, 'missing_field'],
    ['output_config.format.type', { output_config: { format: { type: 'text' } } }, 'invalid_value'],
    ['output_config.format.schema', { output_config: { format: { type: 'json_schema' } } }, 'missing_field'],
    ['metadata.user_id', { metadata: { user_id: 5 } }, 'invalid_value'],
    ['models', { models: ['1', '2', '3', '4', '5'] }, 'invalid_value'],
    ['provider', { provider: { nonsense: 1 } }, 'invalid_value'],
  ])('names the field that is wrong: %s of %j', (param, fields, code) => {
    expect(() => request(fields)).toThrow(expect.objectContaining({ status: 400, code, param }));
  });

  const USER_BLOCKS: readonly (readonly [field: string, block: object, code: string])[] = [
    ['type', { text: 'x' }, 'missing_field'],
    ['text', { type: 'text' }, 'missing_field'],
    ['text', { type: 'text', text: 5 }, 'invalid_value'],
    ['source', { type: 'image' }, 'missing_field'],
    ['source.type', { type: 'image', source: { type: 'file' } }, 'invalid_value'],
    [
      'source.media_type',
      { type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'x' } },
      'invalid_value',
    ],
    ['source.data', { type: 'image', source: { type: 'base64', media_type: 'image/png' } }, 'missing_field'],
    ['source.url', { type: 'image', source: { type: 'url', url: 'file:///x' } }, 'invalid_value'],
    ['type', { type: 'tool_use', id: 'i', name: 'f', input: {} }, 'invalid_value'],
    ['tool_use_id', { type: 'tool_result' }, 'missing_field'],
    ['content', { type: 'tool_result', tool_use_id: 'i', content: 5 }, 'invalid_value'],
    [
      'content[1].text',
      { type: 'tool_result', tool_use_id: 'i', content: [{ type: 'text', text: '' }, { type: 'text' }] },
      'missing_field',
    ],
    [
      'content[0].type',
      { type: 'tool_result', tool_use_id: 'i', content: [{ type: 'tool_result' }] },
      'invalid_value',
    ],
    ['source', { type: 'document' }, 'missing_field'],
    ['source.data', { type: 'document', source: { type: 'base64' } }, 'missing_field'],
    [
      'source.content[0].type',
      { type: 'document', source: { type: 'content', content: [{ type: 'document' }] } },
      'invalid_value',
    ],
    ['source', { type: 'text', text: 'a', source: {} }, 'invalid_value'],
    ['content', { type: 'text', text: 'a', content: 'b' }, 'invalid_value'],
    ['text', { ...PNG, text: 'b' }, 'invalid_value'],
    ['text', { type: 'tool_result', tool_use_id: 't', text: 'b' }, 'invalid_value'],
    ['source.data', { type: 'image', source: { ...PNG.source, data: '%%%' } }, 'invalid_value'],
    ['source.data', { type: 'document', source: { ...PDF, data: 'a b' } }, 'invalid_value'],
  ];
  const ASSISTANT_BLOCKS: typeof USER_BLOCKS = [
    ['type', { type: 'tool_result', tool_use_id: 'i' }, 'invalid_value'],
    ['type', { type: 'image' }, 'invalid_value'],
    ['input', { type: 'tool_use', id: 'i', name: 'f' }, 'missing_field'],
    ['input', { type: 'tool_use', id: 'i', name: 'f', input: [] }, 'invalid_value'],
  ];

  it.each([
    ...USER_BLOCKS.map(([...row]) => ['user', ...row] as const),
    ...ASSISTANT_BLOCKS.map(([...row]) => ['assistant', ...row] as const),
  ])('names the field of a block that is wrong: %s %s of %j', (role, field, block, code) => {
    const param = `messages[0].content[0].${field}`;
    expect(() => request({ messages: [{ role, content: [block] }] })).toThrow(
      expect.objectContaining({ status: 400, code, param }),
    );
  });

  it('returns readable error messages', () => {
    const saying = (fields: Record<string, unknown>, message: string) =>
      expect(() => request(fields)).toThrow(message);
    saying(inUser({ type: 'tool_use' }), 'tool_use blocks belong in assistant messages.');
    saying(
      { messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].role: must be one of user, assistant, system.',
    );
    saying({ messages: [{ role: 'user', content: [] }] }, 'messages[0].content: must not be empty.');
    saying(
      { tools: [tool], tool_choice: { type: 'tool', name: 'g' } },
      'must be the name of one of the tools.',
    );
  });

  it('takes no lone number for an object, however long it is', () => {
    const json =
      '{"model":"a/b","messages":[{"role":"assistant","content":' +
      '[{"type":"tool_use","id":"t","name":"f","input":12345678901234567890}]}]}';
    expect(() => requestOf(json)).toThrow(expect.objectContaining({ param: 'messages[0].content[0].input' }));
  });

  it('accepts a tool choice that names a tool of a set that the upstream defines', () => {
    const fields = { tools: [{ type: 'browser_20260801' }], tool_choice: { type: 'tool', name: 'navigate' } };
    expect(request(fields)).toMatchObject(fields);
  });

  it('takes blocks of every common kind in a user message', () => {
    expect(
      withBlocks({ type: 'text', text: '' }, { type: 'tool_result', tool_use_id: 'i' }).messages,
    ).toHaveLength(1);
  });

  it.each([undefined, null, '', []])('takes the result of a tool that returned nothing: %j', (content) => {
    const result = { type: 'tool_result', tool_use_id: 'i', content };
    expect(withBlocks(result).messages[0]?.content).toEqual([result]);
  });
});

describe('a block', () => {
  it('allows fields of no documented type', () => {
    const block = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' }, citations: null, x: 1 };
    expect(withBlocks(block).messages[0]?.content).toEqual([block]);
  });
});
