import { describe, expect, it } from '@jest/globals';
import type { Turn } from '../../core/upstream/conversation.ts';
import { withReminders } from '../../core/upstream/system-reminder.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { assistant, text, toolCall, toolResult, user } from '../../testing/providers/turns.ts';
import { alternatingTurns } from '../claude/alternating-turns.ts';
import { toClaudeTurns } from '../claude/route-signatures.ts';
import { toMessages as messagesOf } from './content.ts';

const toMessages = (turns: readonly Turn[]) =>
  messagesOf(alternatingTurns(toClaudeTurns(withReminders(turns), SIGNATURES)));

describe('the messages of a conversation', () => {
  it('merge neighbours of one role, results first', () => {
    const turns = [
      user('a'),
      user('b'),
      assistant('c'),
      assistant(toolCall('call_1'), toolCall('call_2')),
      user('d'),
      user(toolResult('call_1', 'one')),
      user(toolResult('call_2', 'two'), text('e')),
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
    const turns = [user(text('a'), text('')), assistant(' \n'), user('\u00a0'), user(' b ')];
    expect(toMessages(turns)).toEqual([{ role: 'user', content: [text('a'), text(' b ')] }]);
  });

  it('start with a user message, even if the conversation does not', () => {
    const firstMessage = { role: 'user', content: [text('Begin.')] };
    expect(toMessages([])).toEqual([firstMessage]);
    expect(toMessages([user('')])).toEqual([firstMessage]);
    expect(toMessages([assistant('Hello!'), user('Hi')])).toEqual([
      firstMessage,
      { role: 'assistant', content: [text('Hello!')] },
      { role: 'user', content: [text('Hi')] },
    ]);
  });

  it('end a response to be continued without trailing white space', () => {
    const turns = [user('a'), assistant('b '), user('c '), assistant(text('d '), text(' e \n'))];
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
    expect(toMessages([user(data, url, text('a')), assistant(toolCall('c')), user(shown)])).toEqual([
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
    const turns = [assistant({ type: 'refusal', text: 'No.' }, toolCall('c')), user(toolResult('c', ''))];
    expect(toMessages(turns).slice(1)).toEqual([
      { role: 'assistant', content: [text('No.'), { type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] },
    ]);
  });

  it('preserve the digits of an input', () => {
    const turns = [user('a'), assistant(toolCall('c', 'f', '{"id":12345678901234567890}'))];
    expect(JSON.stringify(toMessages(turns)[1]?.content)).toContain('"input":{"id":12345678901234567890}');
  });
});
