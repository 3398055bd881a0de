import { describe, expect, it } from '@jest/globals';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { CODE, PROSE } from '../../../../tools/bench/tokens/honest.ts';
import { countPromptTokens, OutputCounter, promptBounds, unreportedPromptTokens } from './estimate.ts';
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
const NO_LIMITS: Parameters<ReturnType<typeof promptBounds>>[0] = {
  context_window: undefined,
  hidden_tokens: 0,
  max_image_tokens: undefined,
  token_factor: undefined,
};

describe('the bound on prompt tokens', () => {
  it('grows by the text, the messages and the images of a prompt', () => {
    const boundOf = (size: PromptSize, limits = NO_LIMITS) => promptBounds(size)(limits).tokens;
    const small = boundOf(prompt('hello'));
    expect(boundOf(prompt('hello hello'))).toBeGreaterThan(small);
    expect(boundOf({ ...prompt('hello'), objects: 40 })).toBeGreaterThan(small);
    expect(boundOf({ ...prompt('hello'), images: 1 })).toBe(small + 4_784);
    expect(boundOf({ ...prompt('hello'), images: 1 }, { ...NO_LIMITS, max_image_tokens: 36_835 })).toBe(
      small + 36_835,
    );
  });
});

describe('the token estimate of a prompt', () => {
  it.each(['English', 'German', 'French', 'Russian', 'Greek', 'Chinese', 'Japanese', 'Korean', 'TypeScript'])(
    'differs from the true count by at most a third: %s',
    (name) => {
      const text = { ...PROSE, ...CODE }[name] ?? '';
      const ratio = (countPromptTokens(prompt(text)) - countPromptTokens(prompt(''))) / encode(text).length;
      expect(ratio).toBeGreaterThan(0.67);
      expect(ratio).toBeLessThan(1.34);
    },
  );
});

describe('the billed size of a prompt without reported usage', () => {
  it('equals about ten tokens for two words', () => {
    const tokens = unreportedPromptTokens(prompt('hi there'), NO_LIMITS);
    expect(tokens).toBeGreaterThanOrEqual(8);
    expect(tokens).toBeLessThanOrEqual(13);
  });

  it.each(Object.entries(TEXTS))('ranges from the true count up to the bound: %s', (_name, text) => {
    const tokens = unreportedPromptTokens(prompt(text), NO_LIMITS);
    expect(tokens).toBe(boundTokens(text) + 4 + 3);
    expect(boundTokens(text)).toBeGreaterThanOrEqual(encode(text).length);
    expect(tokens).toBeLessThanOrEqual(promptBounds(prompt(text))(NO_LIMITS).tokens);
  });

  it('includes four tokens for each message, and three for the response', () => {
    const textMessages = (count: number) =>
      promptSizeOf({ messages: Array.from({ length: count }, () => ({ role: 'user', content: '' })) });
    expect(unreportedPromptTokens(textMessages(1), NO_LIMITS)).toBe(7);
    expect(unreportedPromptTokens(textMessages(5), NO_LIMITS)).toBe(23);
  });

  it('includes the usual tokens of images and files, but no factor or hidden tokens of the model', () => {
    const plain = unreportedPromptTokens(prompt('hello'), NO_LIMITS);
    const fields = { ...prompt('hello'), images: 1, unseen: 2, providerTools: true };
    expect(unreportedPromptTokens(fields, NO_LIMITS)).toBe(plain + 1_600 + 3 * 36_000);
    const dear = { ...NO_LIMITS, token_factor: 2, hidden_tokens: 500 };
    expect(unreportedPromptTokens(prompt('hello'), dear)).toBe(plain);
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
    expect(promptBounds({ ...prompt('hello'), ...size })({ ...limits, ...changes }).tokens).toBe(tokens);
  });

  it.each(Object.entries({ ...TEXTS, blanks: ' '.repeat(128) }))(
    'includes a lower and an upper value that enclose the tokens of %s',
    (_name, text) => {
      const long = text.repeat(Math.ceil(10_000 / text.length));
      const { minTokens, tokens } = promptBounds(prompt(long))(NO_LIMITS);
      const counted = encode(long).length;
      expect([minTokens <= counted, counted <= tokens]).toEqual([true, true]);
    },
  );

  it('counts an image for what it usually is, or for the most of its model if that is less', () => {
    const seeing = { ...prompt('hello'), images: 3 };
    const without = countPromptTokens(prompt('hello'));
    expect(countPromptTokens({ ...prompt('hello'), messages: 3 })).toBe(without + 2 * 4);
    expect(countPromptTokens(seeing)).toBe(without + 3 * 1_600);
    expect(countPromptTokens(seeing, { ...NO_LIMITS, max_image_tokens: 100 })).toBe(without + 300);
    const unreported = unreportedPromptTokens(prompt('hello'), NO_LIMITS);
    expect(unreportedPromptTokens(seeing, NO_LIMITS)).toBe(unreported + 3 * 1_600);
  });

  it('grows by the tokens that the provider adds before each prompt: the catalog’s number, else 128', () => {
    const bound = promptBounds(prompt('hello'));
    const plain = bound(NO_LIMITS).tokens;
    expect(bound({ ...NO_LIMITS, hidden_tokens: 700 }).tokens).toBe(plain + 700);
    expect(bound({ ...NO_LIMITS, hidden_tokens: undefined }).tokens).toBe(plain + 128);
  });

  it('multiplies the tokens of texts by the model’s factor, but not those around them', () => {
    const text = ENGLISH.repeat(3);
    const size = { ...prompt(text), images: 1 };
    const boundOf = (token_factor: number | undefined, fields: object = {}) =>
      promptBounds(size)({ ...NO_LIMITS, ...fields, token_factor }).tokens;
    const around = boundOf(1) - boundTokens(text);
    expect(around).toBe(size.objects * TOKENS_PER_OBJECT + 4_784);
    expect(boundOf(undefined)).toBe(boundOf(1));
    for (const factor of [1.01, 1.5, 2, 16])
      expect(boundOf(factor)).toBe(around + Math.ceil(boundTokens(text) * factor));
    expect(boundOf(16, { context_window: 1_000 })).toBe(1_000);
  });

  it('includes a lower bound that neither the factor nor hidden tokens raise', () => {
    const bound = promptBounds(prompt('hello'.repeat(1_000)));
    const { minTokens } = bound(NO_LIMITS);
    expect(bound({ ...NO_LIMITS, token_factor: 16, hidden_tokens: 9_000 }).minTokens).toBe(minTokens);
  });
});
