import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';

const ephemeral = { type: 'ephemeral' } as const;
const hour = { type: 'ephemeral', ttl: '1h' } as const;
const text = (value: string) => ({ type: 'text', text: value }) as const;

const ofMessages = (fields: Partial<Anthropic.MessageCreateParams>) =>
  messagesPayloadOf(fields).conversation();

const ofChat = (fields: object) => chatPayloadOf(fields).conversation();

describe('the cache breakpoints of a Messages request', () => {
  it('become one of a result if they are within it', () => {
    const { turns } = ofMessages({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: [{ ...text('x'), cache_control: hour }] },
          ],
        },
      ],
    });
    expect(turns[0]?.parts).toEqual([
      { type: 'tool-result', id: 't', content: [text('x')], isError: false, cache: '1h' },
    ]);
  });

  it('include the breakpoint of the request itself, on the last content part with a text', () => {
    const { turns } = ofMessages({
      cache_control: ephemeral,
      messages: [{ role: 'user', content: [text('a'), text('b'), text(' ')] }],
    });
    expect(turns[0]?.parts).toEqual([text('a'), { ...text('b'), cache: '5m' }, text(' ')]);
  });

  it('retain the lifetime of a content part if the request itself has a breakpoint too', () => {
    const { turns } = ofMessages({
      cache_control: ephemeral,
      messages: [{ role: 'user', content: [{ ...text('a'), cache_control: hour }] }],
    });
    expect(turns[0]?.parts).toEqual([{ ...text('a'), cache: '1h' }]);
  });
});

describe('the cache breakpoints of a chat request', () => {
  it('stand where the caller put them', () => {
    const call = { id: 't', type: 'function', function: { name: 'f', arguments: '{}' } };
    const body = ofChat({
      tools: [
        { type: 'function', function: { name: 'f' }, cache_control: hour },
        { type: 'function', function: { name: 'g', cache_control: ephemeral } },
      ],
      messages: [
        { role: 'system', content: [text('a'), { ...text('b'), cache_control: ephemeral }] },
        { role: 'system', content: 'c', cache_control: ephemeral },
        { role: 'user', content: [{ ...text('?'), cache_control: ephemeral }] },
        { role: 'assistant', tool_calls: [call], cache_control: ephemeral },
        { role: 'tool', tool_call_id: 't', content: [{ ...text('x'), cache_control: ephemeral }] },
      ],
    });
    expect(body.tools.map(({ cache }) => cache)).toEqual(['1h', '5m']);
    expect(body.systemCache).toEqual(
      new Map([
        [1, '5m'],
        [2, '5m'],
      ]),
    );
    expect(body.turns.map(({ parts }) => parts.map((part) => 'cache' in part && part.cache))).toEqual([
      ['5m'],
      ['5m'],
      ['5m'],
    ]);
  });

  it('appear only on content with a breakpoint, and only for a lifetime that a cache supports', () => {
    const { turns, systemCache } = ofChat({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'user', content: [{ ...text('?'), cache_control: { type: 'ephemeral', ttl: '7m' } }] },
      ],
    });
    expect(systemCache).toBeUndefined();
    expect(turns[0]?.parts).toEqual([text('?')]);
  });
});
