import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { answer } from '../../../../simulators/models/model/answer.ts';
import { findRepeatInstruction } from '../../../../simulators/models/model/instructions.ts';
import type { ModelMessage, ModelRequest } from '../../../../simulators/models/model/model.ts';
import { countTokens } from '../../../../simulators/models/model/tokens.ts';
import { it } from '../../../search.ts';

const message = (role: ModelMessage['role'], text: string): ModelMessage => ({
  role,
  text,
  imageCount: 0,
  toolCalls: [],
});

const request = (text: string, over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [message('user', text)],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
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

  it.each([
    ['write 5 words about rain', 5],
    ['Write an essay in exactly 300 words', 300],
    ['write 999999 words', 20_000],
  ])('answers %j with that many words, at most 20,000', (prompt, count) => {
    expect(textOf(request(prompt)).split(/\s+/u)).toHaveLength(count);
  });

  it('costs more prompt tokens for longer input, and for tools', () => {
    const tokens = (asked: ModelRequest): number => answer(asked).usage.promptTokens;
    expect(tokens(request('word '.repeat(100)))).toBeGreaterThan(tokens(request('word')) + 90);
    const tools = [{ name: 'lookup', parameters: { type: 'object' } }];
    const toolTokens = tokens(request('x', { tools })) - tokens(request('x'));
    expect(toolTokens).toBe(countTokens(JSON.stringify(tools)));
  });

  it('stops at the earliest of several stop sequences and names it', () => {
    const asked = request('Repeat exactly: one two three', { stop: ['three', ' two', 'absent'] });
    const stopped = { text: 'one', finishReason: 'stop', stopSequence: ' two' };
    expect(answer(asked).choices[0]).toMatchObject(stopped);
  });

  it('thinks before it answers on request, within the limit, and answers as it would have', () => {
    const plain = answer(request('hello'));
    const { choices, usage } = answer(request('hello', { thinks: true }));
    expect(choices[0]?.text).toBe(plain.choices[0]?.text);
    expect(usage.thinkingTokens).toBe(countTokens(choices[0]?.thinking ?? ''));
    expect(usage.completionTokens).toBe(plain.usage.completionTokens + usage.thinkingTokens);
    const cut = answer(request('hello', { thinks: true, maxTokens: usage.thinkingTokens + 2 }));
    expect(cut.choices[0]).toMatchObject({ finishReason: 'length', thinking: choices[0]?.thinking });
    const short = answer(request('hello', { thinks: true, maxTokens: 3 }));
    expect(short.choices[0]).toMatchObject({ finishReason: 'length', text: '', tokenCount: 3 });
  });

  it('cuts the arguments of a call, and a refusal, at the limit', () => {
    const parameters = { type: 'object', properties: { a: { const: 'long'.repeat(20) } }, required: ['a'] };
    const asked = { tools: [{ name: 'f', parameters }], toolChoice: 'required' as const, maxTokens: 5 };
    const { choices } = answer(request('x', asked));
    expect(choices[0]).toMatchObject({ finishReason: 'length', tokenCount: 5 });
    expect(() => JSON.parse(choices[0]?.toolCalls[0]?.arguments ?? '')).toThrow();
    expect(answer(request('x', { refuses: true })).choices[0]?.finishReason).toBe('refusal');
    expect(answer(request('x', { refuses: true, maxTokens: 2 })).choices[0]?.finishReason).toBe('length');
  });

  it('distinguishes a failed tool from one that returned', () => {
    const failed = { ...message('tool', 'no such city'), isError: true };
    const messages = [message('user', 'hi'), failed];
    expect(textOf(request('', { messages }))).toContain('The tool failed: no such city');
  });

  it('keeps a repeated JSON text that satisfies the schema, and makes an instance otherwise', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    expect(textOf(request('Repeat exactly: {"a": 7}', { schema }))).toBe('{"a": 7}');
    const other = JSON.parse(textOf(request('Repeat exactly: {"b": 7}', { schema })));
    expect(other).toEqual({ a: expect.any(Number) });
  });
});

describe('an instruction to repeat', () => {
  it.each([
    ['Repeat exactly: hello world', 'hello world'],
    ['repeat this exactly: "hello, world"', 'hello, world'],
    ['Reply with exactly PONG', 'PONG'],
    ['Reply with exactly this text and nothing else: PONG', 'PONG'],
    ['Repeat the following verbatim: a b c', 'a b c'],
    ['Repeat exactly:\n\nline one\nline two\n', 'line one\nline two'],
    ['Repeat exactly: "hi" she said', '"hi" she said'],
    ['Repeat exactly: say exactly: nested', 'say exactly: nested'],
  ])('is read in %j', (prompt, text) => {
    expect(findRepeatInstruction(prompt)?.text).toBe(text);
  });

  it.each(['What exactly is a monad?', 'Repeat the exercise.', 'Is that exactly: right?', 'Repeat exactly:'])(
    'is not seen in %j',
    (prompt) => {
      expect(findRepeatInstruction(prompt)).toBeUndefined();
    },
  );

  it('keeps what stood before it, and any quoted text unchanged', () => {
    const { preamble } = findRepeatInstruction('Call lookup. Then reply with exactly: DONE') ?? {};
    expect(preamble).toBe('Call lookup. Then ');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(findRepeatInstruction(`Please repeat this exactly: "${text}"`)?.text).toBe(text);
      }),
    );
  });
});
