import { describe, expect, it } from '@jest/globals';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { CODE, PROSE } from '../../../../tools/bench/tokens/honest.ts';
import { LIGHT } from '../../../../tools/bench/tokens/vocabularies.ts';
import { OutputCounter, PromptTokens, probableTokens } from './estimate.ts';
import { type PromptSize, promptSizeOf, TOKENS_PER_OBJECT } from './prompt-size.ts';
import { boundTokens } from './token-bound.ts';

/** Texts whose tokens are as short as tokens get. */
const DENSE: Record<string, string> = {
  emoji: '🚀🔥😂👩‍👩‍👧‍👦🏳️‍🌈🎉💯🥳🧑‍💻🤖✨🌍🍕',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  hex: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  uuids: '3f2504e0-4f89-11d3-9a0c-0305e82c3301 '.repeat(4),
  digits: '3141592653589793238462643383279502884197169399375105820974944592',
  numbers: '1 22 333 4444 55555 1,234,567.89 0.00012 ',
  punctuation: "!@#$%^&*()_+{}|:<>?~`-=[]\\;',./".repeat(5),
  noise: Array.from({ length: 300 }, (_, i) => String.fromCharCode(33 + ((i * 7919) % 94))).join(''),
  ancient: 'ꙮ𓀀𓂀𒀀𒁀ᚠᚢᚦ𐌰𐌱🜁🜂'.repeat(3),
  one_letter: 'a'.repeat(300),
  amharic: 'ዛሬ አንድ የተዋሃደ መግቢያ እያንዳንዱን ጥሪ በትክክል እንዴት እንደሚያስከፍል እናያለን።',
  blank: `${' '.repeat(200)}${'\n'.repeat(100)}`,
};

const TEXTS = { ...PROSE, ...CODE, ...DENSE };
const ENGLISH = PROSE.English ?? '';

const prompt = (text: string) => promptSizeOf({ messages: [{ role: 'user', content: text }] });
const upperOf = (size: PromptSize, limits = NO_LIMITS) => new PromptTokens(size).upper(limits);
const heldOf = (size: PromptSize, limits = NO_LIMITS) => new PromptTokens(size).held(limits);
const NO_LIMITS: Parameters<typeof probableTokens>[1] = {
  context_window: undefined,
  hidden_tokens: 0,
  max_image_tokens: undefined,
  token_factor: undefined,
};

describe('the bound on prompt tokens', () => {
  it('grows by the text, the messages and the images of a prompt', () => {
    const small = heldOf(prompt('hello'));
    expect(heldOf(prompt('hello hello'))).toBeGreaterThan(small);
    expect(heldOf({ ...prompt('hello'), objects: 40 })).toBeGreaterThan(small);
    expect(heldOf({ ...prompt('hello'), images: 1 })).toBe(small + 4_784);
    expect(heldOf({ ...prompt('hello'), images: 1 }, { ...NO_LIMITS, max_image_tokens: 36_835 })).toBe(
      small + 36_835,
    );
  });
});

describe('the probable tokens of a prompt', () => {
  const texts = Object.values({ ...PROSE, ...CODE });
  const ratiosTo = (count: (text: string) => number): readonly number[] =>
    texts.map(
      (text) =>
        (probableTokens(prompt(text), NO_LIMITS) - probableTokens(prompt(''), NO_LIMITS)) / count(text),
    );

  it('range from three quarters to 2.1 times the count of o200k, for 21 languages and 8 kinds of code', () => {
    expect(texts).toHaveLength(29);
    const ratios = ratiosTo((text) => encode(text).length);
    expect(Math.min(...ratios)).toBeGreaterThan(0.75);
    expect(Math.max(...ratios)).toBeLessThan(2.1);
  });

  it('differ from the counts of four tokenizers by less than 1.3 times on average', () => {
    const errors = LIGHT.flatMap(({ count }) => ratiosTo(count)).map((ratio) => Math.abs(Math.log(ratio)));
    expect(Math.exp(errors.reduce((sum, error) => sum + error) / errors.length)).toBeLessThan(1.3);
  });

  it('include four tokens for each message, and the usual ones of images and files', () => {
    const hello = probableTokens(prompt('hello'), NO_LIMITS);
    expect(hello).toBe(2 + 4 + 3);
    const tokensOf = (fields: Partial<PromptSize>, limits = NO_LIMITS) =>
      probableTokens({ ...prompt('hello'), ...fields }, limits) - hello;
    expect(tokensOf({ messages: 3 })).toBe(2 * 4);
    expect(tokensOf({ images: 3 })).toBe(3 * 1_600);
    expect(tokensOf({ images: 3 }, { ...NO_LIMITS, max_image_tokens: 100 })).toBe(300);
    expect(tokensOf({ unseen: 2 })).toBe(2 * 36_000);
    expect(new PromptTokens(prompt('hello')).probable(NO_LIMITS)).toBe(hello);
  });
});

describe('the billed size of a prompt without reported usage', () => {
  it('equals about ten tokens for two words', () => {
    const tokens = upperOf(prompt('hi there'));
    expect(tokens).toBeGreaterThanOrEqual(8);
    expect(tokens).toBeLessThanOrEqual(13);
  });

  it.each(Object.entries(TEXTS))('ranges from the true count up to the bound: %s', (_name, text) => {
    const tokens = upperOf(prompt(text));
    expect(tokens).toBe(boundTokens(text) + 4 + 3);
    expect(boundTokens(text)).toBeGreaterThanOrEqual(encode(text).length);
    expect(tokens).toBeLessThanOrEqual(heldOf(prompt(text)));
  });

  it('includes four tokens for each message, and three for the response', () => {
    const textMessages = (count: number) =>
      promptSizeOf({ messages: Array.from({ length: count }, () => ({ role: 'user', content: '' })) });
    expect(upperOf(textMessages(1))).toBe(7);
    expect(upperOf(textMessages(5))).toBe(23);
  });

  it('includes the usual tokens of images and files, but no factor or hidden tokens of the model', () => {
    const plain = upperOf(prompt('hello'));
    const fields = { ...prompt('hello'), images: 1, unseen: 2, providerTools: true };
    expect(upperOf(fields)).toBe(plain + 1_600 + 3 * 36_000);
    const dear = { ...NO_LIMITS, token_factor: 2, hidden_tokens: 500 };
    expect(upperOf(prompt('hello'), dear)).toBe(plain);
  });
});

describe('the output tokens of a response without reported usage', () => {
  it('vary by at most 2% for a long output, however it is split into deltas', () => {
    const text = ENGLISH.repeat(200);
    const singleCounter = new OutputCounter();
    singleCounter.add(text);
    const splitCounter = new OutputCounter();
    for (let at = 0; at < text.length; at += 3) splitCounter.add(text.slice(at, at + 3));
    expect(splitCounter.tokens / singleCounter.tokens).toBeGreaterThan(0.98);
    expect(splitCounter.tokens / singleCounter.tokens).toBeLessThan(1.02);
  });

  it('equal the bound of a short text, and zero for no text', () => {
    const counter = new OutputCounter();
    expect(counter.tokens).toBe(0);
    counter.add('hello');
    expect(counter.tokens).toBe(boundTokens('hello'));
  });

  it.each(Object.entries(TEXTS))(
    'never fall below the true count, however the output is split: %s',
    (_name, text) => {
      const long = text.repeat(Math.ceil(10_000 / text.length));
      for (const length of [1, 7, 4_095, 4_096, 10_000]) {
        const counter = new OutputCounter();
        for (let at = 0; at < long.length; at += length) counter.add(long.slice(at, at + length));
        expect(counter.tokens).toBeGreaterThanOrEqual(encode(long).length);
      }
    },
  );
});

describe('the bound of a prompt on a model', () => {
  const limits = { ...NO_LIMITS, context_window: 1_000 };

  it.each<[string, Partial<PromptSize>, Partial<typeof NO_LIMITS>, number]>([
    ['if some content cannot be measured', { unseen: 1 }, {}, 1_000],
    ['despite a factor and hidden tokens', { unseen: 1 }, { token_factor: 2, hidden_tokens: 10 }, 1_000],
    ['if the text alone exceeds it', { strings: ['🜂'.repeat(1_000)] }, {}, 1_000],
    ['if the hidden tokens alone exceed it', {}, { hidden_tokens: 5_000 }, 1_000],
    ['if its images exceed it', { images: 2 }, { max_image_tokens: 48_169, context_window: 50_000 }, 50_000],
    ['of a million tokens if the model states none', { unseen: 1 }, { context_window: undefined }, 1_000_000],
  ])('equals the context window %s', (_when, size, changes, tokens) => {
    expect(heldOf({ ...prompt('hello'), ...size }, { ...limits, ...changes })).toBe(tokens);
  });

  it.each(Object.entries({ ...TEXTS, blanks: ' '.repeat(128) }))(
    'includes a lower and an upper value that enclose the tokens of %s',
    (_name, text) => {
      const long = text.repeat(Math.ceil(10_000 / text.length));
      const { lower } = new PromptTokens(prompt(long));
      const counted = encode(long).length;
      expect([lower <= counted, counted <= heldOf(prompt(long))]).toEqual([true, true]);
    },
  );

  it('grows by the tokens that the provider adds before each prompt: the catalog’s number, else 128', () => {
    const plain = heldOf(prompt('hello'));
    expect(heldOf(prompt('hello'), { ...NO_LIMITS, hidden_tokens: 700 })).toBe(plain + 700);
    expect(heldOf(prompt('hello'), { ...NO_LIMITS, hidden_tokens: undefined })).toBe(plain + 128);
  });

  it('multiplies the tokens of texts by the model’s factor, but not those around them', () => {
    const text = ENGLISH.repeat(3);
    const size = { ...prompt(text), images: 1 };
    const boundOf = (token_factor: number | undefined, fields: object = {}) =>
      heldOf(size, { ...NO_LIMITS, ...fields, token_factor });
    const around = boundOf(1) - boundTokens(text);
    expect(around).toBe(size.objects * TOKENS_PER_OBJECT + 4_784);
    expect(boundOf(undefined)).toBe(boundOf(1));
    for (const factor of [1.01, 1.5, 2, 16])
      expect(boundOf(factor)).toBe(around + Math.ceil(boundTokens(text) * factor));
    expect(boundOf(16, { context_window: 1_000 })).toBe(1_000);
  });
});
