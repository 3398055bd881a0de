import { describe, expect, it } from '@jest/globals';
import {
  type Fields,
  payloadOf,
  rejectionOf,
  request,
} from '../../testing/completions/responses/requests.ts';

const user = (...content: readonly unknown[]) => ({ input: [{ role: 'user', content }] });
const text = { type: 'input_text', text: 'Hi' };
const f = { type: 'function', name: 'f', parameters: { type: 'object' } };
const patch = { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } };
const agents = { type: 'namespace', name: 'agents', description: 'Agents', tools: [f, patch] };
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };

describe('a Responses request', () => {
  it.each<[string, Fields]>([
    ['a text', {}],
    [
      'messages of every role',
      {
        input: [
          { role: 'developer', content: 'Be brief.' },
          { type: 'message', role: 'system', content: [text] },
          { role: 'user', content: [text, { type: 'input_image', image_url: 'https://example.com/a.png' }] },
          {
            role: 'assistant',
            content: [
              { type: 'output_text', text: 'Yes' },
              { type: 'refusal', refusal: 'No' },
            ],
          },
          { role: 'assistant', content: 'Well', phase: 'commentary', id: 'msg_1', status: null },
        ],
      },
    ],
    [
      'files by bytes and by URL',
      user(
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
      ),
    ],
    [
      'calls and their outputs',
      {
        input: [
          call,
          { type: 'function_call_output', call_id: 'c', output: [text] },
          { type: 'custom_tool_call', call_id: 'd', name: 'patch', input: 'x', namespace: 'agents' },
          { type: 'custom_tool_call_output', call_id: 'd', output: 'done' },
        ],
      },
    ],
    [
      'reasoning',
      {
        input: [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: 'Hm.' }],
            content: null,
            encrypted_content: null,
          },
        ],
      },
    ],
    [
      'an item of the provider’s own',
      { input: [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} }] },
    ],
    [
      'what Codex sends',
      {
        tools: [f, patch, agents, { type: 'web_search', external_web_access: false }],
        tool_choice: 'auto',
        parallel_tool_calls: true,
        reasoning: { effort: 'medium', summary: 'auto' },
        store: false,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'k',
        client_metadata: { x: 'y' },
      },
    ],
    ['choices of tools', { tools: [f, patch], tool_choice: { type: 'custom', name: 'patch' } }],
    ['a choice within a namespace', { tools: [agents], tool_choice: { type: 'function', name: 'f' } }],
    [
      'allowed tools',
      {
        tools: [f, patch],
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      },
    ],
    ['one name in two namespaces', { tools: [f, agents, { ...agents, name: 'others' }] }],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'a', schema: {}, strict: true }, verbosity: 'low' } },
    ],
    ['a field that nobody knows', { new_field: { deep: [1] } }],
  ])('passes with %s', (_what, fields) => {
    expect(() => payloadOf(fields)).not.toThrow();
  });

  const message = (fields: Fields) => ({ input: [{ role: 'user', content: 'Hi' }, fields] });
  const part = (role: string, content: unknown) => message({ role, content: [content] });
  const image = { type: 'input_image', image_url: 'x' };
  const allowed = (...tools: readonly unknown[]) => ({
    tools: [f],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools },
  });
  it.each<[string, Fields]>([
    ['input', { input: 7 }],
    ['input', { input: null }],
    ['input', { input: [] }],
    ['input[0]', { input: ['Hi'] }],
    ['input[0]', { input: [null] }],
    ['input[0]', { input: [[]] }],
    ['input[10000]', { input: Array.from({ length: 10_001 }, () => ({})) }],
    ['input[1].type', message({ type: 'new_item' })],
    ['input[1].type', message({ type: 7 })],
    ['input[1].type', message({ type: '__proto__' })],
    ['input[1].type', message({ type: 'toString' })],
    ['input[1].role', message({ role: 'tool', content: 'x' })],
    ['input[1].role', message({})],
    ['input[1].content', message({ role: 'user' })],
    ['input[1].content', message({ role: 'user', content: 7 })],
    ['input[1].content[0].type', part('user', { type: 'new' })],
    ['input[1].content[0]', part('user', 'x')],
    ['input[1].content[1].text', message({ role: 'user', content: [text, { type: 'input_text' }] })],
    ['input[1].content[0].image_url', part('user', { ...text, image_url: 'x' })],
    ['input[1].content[0].type', part('user', { type: 'output_text', text: 'x' })],
    ['input[1].content[0].type', part('assistant', image)],
    ['input[1].content[0].type', part('system', image)],
    ['input[0].content[0].image_url', user({ type: 'input_image', image_url: 'file:///etc/passwd' })],
    ['input[0].content[0].file_id', user({ type: 'input_image', file_id: 'file_1' })],
    ['input[0].content[0].file_id', user({ type: 'input_file', file_id: 'file_1' })],
    ['input[0].content[0]', user({ type: 'input_file', filename: 'a' })],
    ['input[1].call_id', message({ type: 'function_call', name: 'f', arguments: '{}' })],
    ['input[1].arguments', message({ ...call, arguments: {} })],
    ['input[1].output', message({ ...call, output: 'x' })],
    ['input[1].content', message({ ...call, content: 'x' })],
    ['input[1].output', message({ type: 'function_call_output', call_id: 'c' })],
    [
      'input[1].output[0].type',
      message({ type: 'function_call_output', call_id: 'c', output: [{ type: 'x' }] }),
    ],
    ['input[1].summary[0].text', message({ type: 'reasoning', summary: [{ type: 'summary_text' }] })],
    ['input[1].encrypted_content', message({ type: 'reasoning', encrypted_content: 7 })],
    ['input[1].id', message({ type: 'item_reference' })],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
    ['tools[0].name', { tools: [{ ...f, name: 'a b' }] }],
    ['tools[1].name', { tools: [f, { ...patch, name: 'f' }] }],
    ['tools[0].parameters', { tools: [{ ...f, parameters: [] }] }],
    ['tools[0].format.type', { tools: [{ ...patch, format: { type: 'new' } }] }],
    ['tools[0].tools[0].type', { tools: [{ ...agents, tools: [{ type: 'web_search' }] }] }],
    ['tools[0].tools[1].name', { tools: [{ ...agents, tools: [f, f] }] }],
    ['tools[0].type', { tools: [{ name: 'f' }] }],
    [
      'tools',
      { tools: [{ ...agents, tools: Array.from({ length: 1_024 }, (_, n) => ({ ...f, name: `f${n}` })) }] },
    ],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice', { tool_choice: 'any', tools: [f] }],
    ['tool_choice', { tool_choice: { type: 'function', name: 'f' } }],
    ['tool_choice.name', { tool_choice: { type: 'function', name: 'g' }, tools: [f] }],
    ['tool_choice.name', { tool_choice: { type: 'custom', name: 'f' }, tools: [f] }],
    ['tool_choice.name', { tool_choice: { type: 'function' }, tools: [f] }],
    ['tool_choice.tools[1].name', allowed({ type: 'function', name: 'f' }, { type: 'custom', name: 'x' })],
    [
      'tool_choice.mode',
      { tools: [f], tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }] } },
    ],
    [
      'tools[0].name',
      {
        tools: [{ ...agents, name: { toString: 1, valueOf: 1 } }],
        tool_choice: { type: 'function', name: 'f' },
      },
    ],
    ['tool_choice.tools[0]', allowed(null)],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['temperature', { temperature: 2.1 }],
    ['top_p', { top_p: -1 }],
    ['truncation', { truncation: 'first' }],
    ['text.format.type', { text: { format: { type: 'xml' } } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'a' } } }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ''])) }],
    ['metadata.a', { metadata: { a: 'x'.repeat(513) } }],
    ['include', { include: 'all' }],
    ['include[1]', { include: ['reasoning.encrypted_content', 'all'] }],
    ['reasoning.effort', { reasoning: { effort: 'ultra' } }],
    ['store', { store: 'no' }],
    ['provider.only', { provider: { only: 'x' } }],
  ])('causes an error that names %s', (param, fields) => {
    const { code, param: named } = rejectionOf(() => payloadOf(fields));
    expect(['invalid_value', 'missing_field']).toContain(code);
    expect(named).toBe(param);
  });

  it('causes errors with the service’s own messages', () => {
    expect(rejectionOf(() => request({ input: [{ type: 'new_item' }] })).message).toBe(
      'input[0].type: "new_item" is no type of item that is known here.',
    );
    expect(rejectionOf(() => request(user({ type: 'input_file', file_id: 'file_1' }))).message).toContain(
      'send its URL or its bytes',
    );
  });

  it('causes a short error if it contains an overlong name', () => {
    const { message } = rejectionOf(() => request({ input: [{ type: 'x'.repeat(1_000_000) }] }));
    expect(message.length).toBeLessThan(1_000);
  });
});
