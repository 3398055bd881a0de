import { describe, expect, it } from '@jest/globals';
import {
  LINKED,
  PNG,
  request,
  requestOf,
  toolTurns,
} from '../../testing/completions/messages/request-fixture.ts';
import { toConversation } from './conversation.ts';

const converse = (fields: Record<string, unknown>) => toConversation(request(fields));
const text = (value: string) => ({ type: 'text', text: value });

describe('a Messages request as a conversation', () => {
  it('applies the interface’s defaults', () => {
    expect(converse({})).toEqual({
      system: [],
      turns: [{ role: 'user', parts: [text('Hi')] }],
      tools: [],
      maxTokens: 256,
      temperature: 0.7,
      stop: [],
    });
  });

  it.each([
    ['Be brief.', ['Be brief.']],
    [
      [text('a'), { ...text('b'), cache_control: { type: 'ephemeral' } }],
      ['a', 'b'],
    ],
  ])('preserves the system texts: %j', (system, expected) => {
    expect(converse({ system }).system).toEqual(expected);
  });

  it('preserves images, by value and by URL', () => {
    const { turns } = converse({ messages: [{ role: 'user', content: [PNG, LINKED, text('?')] }] });
    expect(turns[0]?.parts).toEqual([
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' } },
      { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
      text('?'),
    ]);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a text', { content: 'sunny' }, { content: [text('sunny')], isError: false }],
    ['nothing', {}, { content: [], isError: false }],
    ['no blocks', { content: [] }, { content: [], isError: false }],
    ['blocks', { content: [text('a'), PNG] }, { content: [text('a'), { type: 'image' }] }],
    ['an error', { content: 'no', is_error: true }, { isError: true }],
  ])('preserves tool calls and their results under their ids: %s', (_what, result, part) => {
    const { turns } = converse({ messages: toolTurns({ city: 'Oslo' }, result) });
    expect(turns[1]?.parts).toEqual([
      { type: 'tool-call', id: 'toolu_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    ]);
    expect(turns[2]?.parts).toMatchObject([{ type: 'tool-result', id: 'toolu_1', ...part }]);
  });

  it('preserves every digit of a call’s arguments, and a call without arguments', () => {
    const json =
      '{"model":"a/b","messages":[{"role":"assistant","content":[' +
      '{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890}},' +
      '{"type":"tool_use","id":"u","name":"g","input":{}}]}]}';
    expect(toConversation(requestOf(json)).turns[0]?.parts).toMatchObject([
      { arguments: '{"n":12345678901234567890}' },
      { arguments: '{}' },
    ]);
  });

  it.each([
    [{}, undefined],
    [{ output_config: { effort: 'low' } }, undefined],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 2_048 } }, { maxTokens: 2_048 }],
    [{ thinking: { type: 'adaptive' } }, { effort: 'high' }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, { effort: 'max' }],
  ])('requests reasoning as %j specifies', (fields, reasoning) => {
    expect(converse(fields).reasoning).toEqual(reasoning);
  });

  it('preserves the caller’s tools', () => {
    const { tools } = converse({
      tools: [
        { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true },
        { type: 'custom', name: 'g', description: null, input_schema: {} },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
    });
    expect(tools).toEqual([
      { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
      { name: 'g', parameters: {} },
    ]);
  });

  it.each([
    [{ type: 'auto' }, { toolChoice: { type: 'auto' } }],
    [{ type: 'any' }, { toolChoice: { type: 'any' } }],
    [{ type: 'none' }, { toolChoice: { type: 'none' } }],
    [{ type: 'tool', name: 'f' }, { toolChoice: { type: 'tool', name: 'f' } }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { toolChoice: { type: 'auto' }, parallelToolCalls: false },
    ],
    [{ type: 'auto', disable_parallel_tool_use: false }, { toolChoice: { type: 'auto' } }],
  ])('preserves the tool choice: %j', (choice, choiceField) => {
    const tools = [{ name: 'f', input_schema: {} }];
    const { toolChoice, parallelToolCalls } = converse({ tools, tool_choice: choice });
    expect({ toolChoice, parallelToolCalls }).toEqual({ parallelToolCalls: undefined, ...choiceField });
  });

  it('preserves sampling, stop sequences, the output bound and format, and the user', () => {
    const schema = { type: 'object' };
    expect(
      converse({
        temperature: 0,
        top_p: 0.5,
        stop_sequences: ['END'],
        max_tokens: 9,
        output_config: { format: { type: 'json_schema', schema } },
        metadata: { user_id: 'u' },
      }),
    ).toMatchObject({
      temperature: 0,
      topP: 0.5,
      stop: ['END'],
      maxTokens: 9,
      format: { type: 'json-schema', schema },
      user: 'u',
    });
    expect(converse({ top_p: 1 })).not.toHaveProperty('topP');
  });
});
