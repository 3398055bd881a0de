import { describe, expect, it } from '@jest/globals';
import { answer } from '../../../../simulators/models/model/answer.ts';
import type { ModelMessage, ModelRequest } from '../../../../simulators/models/model/model-request.ts';
import { countTokens, tokenPieces } from '../../../../simulators/models/model/tokens.ts';

const message = (role: ModelMessage['role'], text: string, imageCount = 0): ModelMessage => ({
  role,
  text,
  imageCount,
  toolCalls: [],
});

const request = (text: string, over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [message('user', text)],
  tools: [],
  toolChoice: { kind: 'auto' },
  parallelToolCalls: true,
  format: { kind: 'text' },
  stop: [],
  choiceCount: 1,
  ...over,
});

const textOf = (asked: ModelRequest): string => answer(asked).choices[0]?.text ?? '';

describe('the simulated model', () => {
  it('answers the same request in the same way, whatever the model is called', () => {
    expect(answer(request('hello'))).toEqual(answer(request('hello', { model: 'other' })));
    expect(textOf(request('hello'))).not.toBe(textOf(request('goodbye')));
  });

  it('gives plain answers of 20 to 60 tokens', () => {
    for (let index = 0; index < 200; index += 1) {
      const { text = '', tokenCount } = answer(request(`question ${index}`)).choices[0] ?? { tokenCount: 0 };
      expect(tokenCount).toBe(countTokens(text));
      expect(tokenCount).toBeGreaterThanOrEqual(20);
      expect(tokenCount).toBeLessThanOrEqual(60);
    }
  });

  it.each([
    ['write 5 words about rain', 5],
    ['Please write a story of 1,234 words.', 1234],
    ['Write an essay in exactly 300 words', 300],
    ['write 999999 words', 20_000],
  ])('answers %j with that many words, at most 20,000', (prompt, count) => {
    expect(textOf(request(prompt)).split(/\s+/u)).toHaveLength(count);
  });

  it('says how many images it saw', () => {
    expect(
      textOf(request('', { messages: [message('user', 'look', 2), message('user', 'and', 1)] })),
    ).toContain('3 images');
  });

  it('quotes the result of a tool', () => {
    const messages = [message('user', 'hi'), message('assistant', ''), message('tool', 'sunny, 21 degrees')];
    expect(textOf(request('', { messages }))).toContain('sunny, 21 degrees');
  });

  it('follows a repeat instruction of the system when the user gives none', () => {
    const system = message('system', 'Whatever is asked, reply with exactly: PONG');
    expect(textOf(request('', { messages: [system, message('user', 'ping')] }))).toBe('PONG');
    expect(textOf(request('', { messages: [system, message('user', 'say exactly: pang')] }))).toBe('pang');
  });

  it('costs more prompt tokens for longer input, and 765 for an image', () => {
    const tokens = (asked: ModelRequest): number => answer(asked).usage.promptTokens;
    expect(tokens(request('word '.repeat(100)))).toBeGreaterThan(tokens(request('word')) + 90);
    const withImage = tokens(request('', { messages: [message('user', 'look', 1)] }));
    expect(withImage - tokens(request('look'))).toBe(765);
    const tools = [{ name: 'lookup', parameters: { type: 'object' } }];
    const toolTokens = tokens(request('x', { tools })) - tokens(request('x'));
    expect(toolTokens).toBe(countTokens(JSON.stringify(tools)));
  });

  it('serves half of the prompt from the cache for a model named -cached', () => {
    const { usage } = answer(request('hello there', { model: 'sim-cached' }));
    expect(usage.cachedTokens).toBe(Math.floor(usage.promptTokens / 2));
    expect(answer(request('hello there')).usage.cachedTokens).toBe(0);
  });

  it('stops at the earliest of several stop sequences and says which', () => {
    const asked = request('Repeat exactly: one two three', { stop: ['three', ' two', 'absent'] });
    expect(answer(asked).choices[0]).toMatchObject({
      text: 'one',
      finishReason: 'stop',
      stopSequence: ' two',
    });
  });

  it('makes texts of exactly n one-token pieces', () => {
    for (const exactTokens of [1, 2, 50, 700]) {
      const choice = answer(request('x', { exactTokens, maxTokens: 3, stop: [' '] })).choices[0];
      expect(choice).toMatchObject({ tokenCount: exactTokens, finishReason: 'stop' });
      expect([...tokenPieces(choice?.text ?? '')]).toHaveLength(exactTokens);
    }
  });

  it('answers alike however a conversation is cut into messages and its calls are named', () => {
    const call = (id: string, text: string) => ({ id, name: 'lookup', arguments: text });
    const conversation = (id: string, text: string): ModelMessage[] => [
      { ...message('assistant', ''), toolCalls: [call(id, text)] },
      { ...message('tool', 'found'), toolCallId: id },
    ];
    const apart = [
      message('user', 'one'),
      message('system', 'be brief'),
      message('user', 'two'),
      ...conversation('call_1', '{"a": 1}'),
    ];
    const joined = [
      message('system', 'be brief'),
      message('user', 'one\ntwo'),
      ...conversation('toolu_2', '{"a":1}'),
    ];
    expect(textOf(request('', { messages: apart }))).toBe(textOf(request('', { messages: joined })));
    const other = conversation('call_1', '{"a":2}');
    expect(textOf(request('', { messages: [...apart.slice(0, 3), ...other] }))).not.toBe(
      textOf(request('', { messages: joined })),
    );
  });

  it('thinks before it answers when asked to, within the limit, and answers as it would have', () => {
    const plain = answer(request('hello'));
    const { choices, usage } = answer(request('hello', { thinks: true }));
    expect(choices[0]?.text).toBe(plain.choices[0]?.text);
    expect(usage.thinkingTokens).toBe(countTokens(choices[0]?.thinking ?? ''));
    expect(usage.completionTokens).toBe(plain.usage.completionTokens + usage.thinkingTokens);
    const cut = answer(request('hello', { thinks: true, maxTokens: usage.thinkingTokens + 2 }));
    expect(cut.choices[0]).toMatchObject({ finishReason: 'length', thinking: choices[0]?.thinking });
    expect(cut.usage.completionTokens).toBe(usage.thinkingTokens + 2);
    const short = answer(request('hello', { thinks: true, maxTokens: 3 }));
    expect(short.choices[0]).toMatchObject({ finishReason: 'length', text: '', tokenCount: 3 });
  });

  it('refuses when told to, within the limit', () => {
    const refusal = answer(request('Repeat exactly: hi', { refuses: true })).choices[0];
    expect(refusal).toMatchObject({ finishReason: 'refusal', text: expect.stringContaining('cannot') });
    expect(answer(request('x', { refuses: true, maxTokens: 2 })).choices[0]?.finishReason).toBe('length');
  });

  it('writes half of the prompt into the cache when asked to, unless it is read from there', () => {
    const writing = { writesCache: true };
    const { usage } = answer(request('hello there', writing));
    expect(usage).toMatchObject({ cachedTokens: 0, cacheWriteTokens: Math.floor(usage.promptTokens / 2) });
    expect(answer(request('hello there', { ...writing, model: 'x-cached' })).usage.cacheWriteTokens).toBe(0);
  });

  it('tells a failed tool from one that returned', () => {
    const failed = { ...message('tool', 'no such city'), isError: true };
    expect(textOf(request('', { messages: [message('user', 'hi'), failed] }))).toContain(
      'The tool failed: no such city',
    );
  });

  it('keeps a repeated JSON text that satisfies the format, and makes an instance otherwise', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const format = { kind: 'json-schema', schema } as const;
    expect(textOf(request('Repeat exactly: {"a": 7}', { format }))).toBe('{"a": 7}');
    expect(JSON.parse(textOf(request('Repeat exactly: {"b": 7}', { format })))).toEqual({
      a: expect.any(Number),
    });
    expect(JSON.parse(textOf(request('Repeat exactly: hi', { format: { kind: 'json-object' } })))).toEqual({
      answer: 'hi',
    });
  });
});
