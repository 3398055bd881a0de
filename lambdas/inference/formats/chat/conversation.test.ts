import { describe, expect, it } from '@jest/globals';
import { toConversation } from './conversation.ts';
import type { ChatRequest } from './request.ts';

const converse = (fields: Partial<ChatRequest>) =>
  toConversation({ model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], ...fields });

describe('a chat request as a conversation', () => {
  it('applies the interface’s defaults', () => {
    expect(converse({})).toEqual({
      system: [],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      tools: [],
      maxTokens: 256,
      temperature: 0.7,
      stop: [],
    });
  });

  it.each<[Partial<ChatRequest>, unknown]>([
    [{}, undefined],
    [{ reasoning_effort: 'low' }, { effort: 'low' }],
    [{ reasoning_effort: 'a host’s own' }, undefined],
    [{ reasoning: { effort: 'xhigh' } }, { effort: 'xhigh' }],
    [{ reasoning: { max_tokens: 2_000 } }, { maxTokens: 2_000 }],
    [{ reasoning: { enabled: true } }, { effort: 'medium' }],
    [{ reasoning: { enabled: false }, reasoning_effort: 'high' }, { effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, { effort: 'medium', maxTokens: 1_024 }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
  ])('requests reasoning as %j specifies', (fields, reasoning) => {
    expect(converse(fields).reasoning).toEqual(reasoning);
  });

  it.each(['reasoning_content', 'reasoning'])('reads a text of reasoning in %s', (field) => {
    const { turns } = converse({ messages: [{ role: 'assistant', content: 'a', [field]: 'Hm.' }] });
    expect(turns[0]?.parts).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'a' },
    ]);
  });

  it('reads the signature of a tool call in the field of Gemini’s own API', () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const extra_content = { google: { thought_signature: 's' } };
    const { turns } = converse({
      messages: [{ role: 'assistant', tool_calls: [{ ...call, extra_content }] }],
    });
    expect(turns[0]?.parts).toMatchObject([
      { type: 'reasoning', text: '', signature: 's' },
      { type: 'tool-call', id: 'c' },
    ]);
  });

  it('gathers the system and developer texts that lead it, and leaves others where they stand', () => {
    const { system, turns } = converse({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
    });
    expect(system).toEqual(['Be brief.', 'Be kind.']);
    expect(turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'system',
        parts: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  it('preserves tool calls, the text of their arguments and their results under their ids', () => {
    const { turns } = converse({
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'weather', arguments: '{"n": 12345678901234567890}' },
            },
            { id: 'call_2', type: 'function', function: { name: 'now', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'noon' }] },
      ],
    });
    expect(turns.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', id: 'call_1', name: 'weather', arguments: '{"n": 12345678901234567890}' },
          { type: 'tool-call', id: 'call_2', name: 'now', arguments: '' },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', id: 'call_1', content: [{ type: 'text', text: 'sunny' }], isError: false },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', id: 'call_2', content: [{ type: 'text', text: 'noon' }], isError: false },
        ],
      },
    ]);
  });

  it('preserves a refusal in both of its possible fields', () => {
    const refusal = { type: 'refusal', text: 'No.' };
    const inParts = converse({
      messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
    });
    const inField = converse({ messages: [{ role: 'assistant', content: null, refusal: 'No.' }] });
    for (const { turns } of [inParts, inField]) expect(turns[0]?.parts).toEqual([refusal]);
  });

  it.each([
    ['https://example.com/a.png', { kind: 'url', url: 'https://example.com/a.png' }],
    ['data:image/png;base64,aGk=', { kind: 'base64', mediaType: 'image/png', data: 'aGk=' }],
    ['data:IMAGE/JPEG;charset=x;base64,aGk=', { kind: 'base64', mediaType: 'image/jpeg', data: 'aGk=' }],
  ])('preserves an image: %s', (url, source) => {
    const { turns } = converse({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });
    expect(turns[0]?.parts).toEqual([{ type: 'image', source }]);
  });

  it.each<[ChatRequest['tool_choice'], object]>([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
  ])('preserves the tool choice: %j', (choice, toolChoice) => {
    expect(converse({ tool_choice: choice })).toMatchObject({ toolChoice });
  });

  it('preserves tools, with an empty object as the parameters of a function without any', () => {
    const { tools } = converse({
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        },
        { type: 'function', function: { name: 'g', parameters: null } },
      ],
    });
    expect(tools).toEqual([
      { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
      { name: 'g', parameters: { type: 'object', properties: {} } },
    ]);
  });

  it.each<[ChatRequest['response_format'], object | undefined]>([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object' }, { type: 'json' }],
    [
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      { type: 'json-schema', name: 'n', schema: { type: 'object' }, strict: true },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'n' } },
      { type: 'json-schema', name: 'n', schema: { type: 'object' } },
    ],
  ])('preserves the output format: %j', (response_format, format) => {
    expect(converse({ response_format }).format).toEqual(format);
  });

  it('preserves sampling, stop sequences, the output bound under either name, and the user', () => {
    const fields = { temperature: 0, top_p: 0.5, stop: 'END', max_completion_tokens: 9, user: 'u' };
    expect(converse({ ...fields, parallel_tool_calls: false })).toMatchObject({
      temperature: 0,
      topP: 0.5,
      stop: ['END'],
      maxTokens: 9,
      user: 'u',
      parallelToolCalls: false,
    });
  });
});
