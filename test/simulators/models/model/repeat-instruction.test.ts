import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findRepeatInstruction } from '../../../../simulators/models/model/repeat-instruction.ts';

const repeated = (prompt: string): string | undefined => findRepeatInstruction(prompt)?.text;

describe('findRepeatInstruction', () => {
  it.each([
    ['Repeat exactly: hello world', 'hello world'],
    ['repeat this exactly: "hello, world"', 'hello, world'],
    ['REPEAT EXACTLY: Hello', 'Hello'],
    ['Say exactly: ok', 'ok'],
    ['Say exactly "ok".', 'ok'],
    ['Reply with exactly PONG', 'PONG'],
    ['Reply with exactly: PONG', 'PONG'],
    ['Reply with exactly the word PONG', 'PONG'],
    ['Reply with exactly this text and nothing else: PONG', 'PONG'],
    ['Respond exactly with "PONG" and nothing else', 'PONG'],
    ['Answer with exactly this: PONG', 'PONG'],
    ['Please repeat the following text exactly: a b c', 'a b c'],
    ['Repeat after me, exactly: a b c', 'a b c'],
    ['Repeat the following verbatim: a b c', 'a b c'],
    ['Repeat back to me word for word: a b c', 'a b c'],
    ['You are an echo. Repeat exactly:\n\nline one\nline two\n', 'line one\nline two'],
    ["Output exactly: 'single'", 'single'],
    ['Repeat exactly: “typographic”', 'typographic'],
    ['Repeat exactly: «à la française»', 'à la française'],
    ['Repeat exactly: "he said "hi" to me"', 'he said "hi" to me'],
    ['Repeat exactly: "hi" she said', '"hi" she said'],
    ['Reply with exactly http://example.com/a:b', 'http://example.com/a:b'],
    ['Reply with exactly this is fine', 'this is fine'],
    ['Repeat exactly: 👩‍👩‍👧‍👦 𝒳 ᚠᛇᚻ שלום العربية 日本語', '👩‍👩‍👧‍👦 𝒳 ᚠᛇᚻ שלום العربية 日本語'],
    ['Repeat exactly: say exactly: nested', 'say exactly: nested'],
    ['Repeat exactly: {"a": "b"}', '{"a": "b"}'],
  ])('reads the text out of %j', (prompt, text) => {
    expect(repeated(prompt)).toBe(text);
  });

  it.each([
    'What exactly is a monad?',
    'Repeat the exercise.',
    'Is that exactly: right?',
    'Repeat exactly:',
    'Repeat exactly: ""',
    'Say something nice',
  ])('sees no instruction in %j', (prompt) => {
    expect(repeated(prompt)).toBeUndefined();
  });

  it('keeps what stood before the instruction', () => {
    expect(findRepeatInstruction('Call lookup. Then reply with exactly: DONE')).toEqual({
      text: 'DONE',
      preamble: 'Call lookup. Then ',
    });
  });

  it('gives back any quoted text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        expect(repeated(`Please repeat this exactly: "${text}"`)).toBe(text);
      }),
    );
  });
});
