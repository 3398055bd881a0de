import { describe, expect, it } from '@jest/globals';
import type { Turn } from '../../core/upstream/conversation.ts';
import { withReminders } from '../../core/upstream/system-reminder.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { alternatingTurns } from '../claude/alternating-turns.ts';
import { toClaudeTurns } from '../claude/route-signatures.ts';
import { toMessages as messagesOf } from './content.ts';

const toMessages = (turns: readonly Turn[]) =>
  messagesOf(alternatingTurns(toClaudeTurns(withReminders(turns), SIGNATURES)));

const text = (words: string) => ({ type: 'text', text: words }) as const;
const user = (...parts: Extract<Turn, { role: 'user' }>['parts']): Turn => ({ role: 'user', parts });
const assistant = (...parts: Extract<Turn, { role: 'assistant' }>['parts']): Turn => ({
  role: 'assistant',
  parts,
});
const call = (id: string, args = '{}') => ({ type: 'tool-call', id, name: 'f', arguments: args }) as const;
const result = (id: string, ...content: readonly ReturnType<typeof text>[]) =>
  ({ type: 'tool-result', id, content, isError: false }) as const;

describe('the messages of a conversation', () => {
  it('merge neighbours of one role, results first', () => {
    const turns = [
      user(text('a')),
      user(text('b')),
      assistant(text('c')),
      assistant(call('call_1'), call('call_2')),
      user(text('d')),
      user(result('call_1', text('one'))),
      user(result('call_2', text('two')), text('e')),
    ];
    expect(toMessages(turns)).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
      {
        role: 'assistant',
        content: [
          text('c'),
          { type: 'tool_use', id: 'call_1', name: 'f', input: {} },
          { type: 'tool_use', id: 'call_2', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: [text('one')] },
          { type: 'tool_result', tool_use_id: 'call_2', content: [text('two')] },
          text('d'),
          text('e'),
        ],
      },
    ]);
  });

  it('omit blank texts, and turns that contain nothing else', () => {
    const turns = [
      user(text('a'), text('')),
      assistant(text(' \n')),
      user(text('\u00a0')),
      user(text(' b ')),
    ];
    expect(toMessages(turns)).toEqual([{ role: 'user', content: [text('a'), text(' b ')] }]);
  });

  it('start with a user message, even if the conversation does not', () => {
    const firstMessage = { role: 'user', content: [text('Begin.')] };
    expect(toMessages([])).toEqual([firstMessage]);
    expect(toMessages([user(text(''))])).toEqual([firstMessage]);
    expect(toMessages([assistant(text('Hello!')), user(text('Hi'))])).toEqual([
      firstMessage,
      { role: 'assistant', content: [text('Hello!')] },
      { role: 'user', content: [text('Hi')] },
    ]);
  });

  it('end a response to be continued without trailing white space', () => {
    const turns = [
      user(text('a')),
      assistant(text('b ')),
      user(text('c ')),
      assistant(text('d '), text(' e \n')),
    ];
    expect(toMessages(turns).map(({ content }) => content)).toEqual([
      [text('a')],
      [text('b ')],
      [text('c ')],
      [text('d '), text(' e')],
    ]);
  });

  it('include images of either source, also in tool results', () => {
    const data = { type: 'image', source: { kind: 'base64', mediaType: 'image/jpg', data: 'QUJD' } } as const;
    const url = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } } as const;
    const shown = { type: 'tool-result', id: 'c', content: [url], isError: true } as const;
    expect(toMessages([user(data, url, text('a')), assistant(call('c')), user(shown)])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'QUJD' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          text('a'),
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c',
            content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
            is_error: true,
          },
        ],
      },
    ]);
  });

  it('preserve a result without content, and a refusal as text', () => {
    const turns = [assistant({ type: 'refusal', text: 'No.' }, call('c')), user(result('c', text('')))];
    expect(toMessages(turns).slice(1)).toEqual([
      { role: 'assistant', content: [text('No.'), { type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] },
    ]);
  });

  it('preserve the digits of an input', () => {
    const turns = [user(text('a')), assistant(call('c', '{"id":12345678901234567890}'))];
    expect(JSON.stringify(toMessages(turns)[1]?.content)).toContain('"input":{"id":12345678901234567890}');
  });
});
