import { describe, expect, it } from '@jest/globals';
import { validate } from '../../../platform/core/json/json-body.ts';
import { parseJson } from '../../../platform/core/json/lossless-json.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { toPayload } from './payload.ts';
import { chatCompletionRequest } from './schema.ts';

const payloadOf = (messages: readonly object[]) =>
  toPayload(
    validate(chatCompletionRequest, parseJson(JSON.stringify({ model: 'a/b', messages }))),
    NO_SEALED_TOKENS,
  );

const calls = (...ids: string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});

const resultIds = (messages: readonly object[]) =>
  payloadOf(messages)
    .conversation()
    .turns.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? part.id : [])));

describe('a message with only the fields that the interface requires', () => {
  it('becomes an empty text for a route of any protocol, whatever its role', () => {
    const messages = [
      { role: 'system' },
      { role: 'user' },
      { role: 'user', content: null },
      calls('c'),
      { role: 'tool' },
    ];
    const payload = payloadOf(messages);
    expect(payload.body.messages).toEqual([
      { role: 'system', content: '' },
      { role: 'user', content: '' },
      { role: 'user', content: '' },
      calls('c'),
      { role: 'tool', content: '', tool_call_id: 'c' },
    ]);
    const empty = [{ type: 'text', text: '' }];
    expect(payload.conversation().turns).toEqual([
      { role: 'user', parts: empty },
      { role: 'user', parts: empty },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'user', parts: [{ type: 'tool-result', id: 'c', content: empty, isError: false }] },
    ]);
  });

  it('answers the calls before it in their order, except those that another result names', () => {
    const user = { role: 'user', content: 'a' };
    const unnamed = { role: 'tool', content: 'b' };
    const named = (id: string) => ({ ...unnamed, tool_call_id: id });
    expect(resultIds([user, calls('c', 'd'), unnamed, unnamed])).toEqual(['c', 'd']);
    expect(resultIds([user, calls('c', 'd'), unnamed, named('c')])).toEqual(['d', 'c']);
    expect(resultIds([user, calls('c'), unnamed, calls('c'), unnamed])).toEqual(['c', 'c']);
  });

  it.each([
    [
      'no call',
      [
        { role: 'user', content: 'a' },
        { role: 'tool', content: 'b' },
      ],
    ],
    ['only answered calls', [calls('c'), { role: 'tool', tool_call_id: 'c' }, { role: 'tool' }]],
    ['the calls of an earlier turn', [calls('c'), { role: 'assistant', content: 'a' }, { role: 'tool' }]],
  ])('causes 400 with its path as the result of %s, which no protocol can express', (_case, messages) => {
    const param = `messages[${messages.length - 1}].tool_call_id`;
    expect(() => payloadOf(messages)).toThrow(expect.objectContaining({ code: 'missing_field', param }));
  });
});
