import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { formatKey, SECRET_BYTES } from '../../lambdas/access/core/keys/api-key.ts';
import { readKeyText, type StandardInput } from './key-text.ts';

const textOf = (letter: string) =>
  formatKey(
    {
      accountId: 'acc_01K7A0000000000000000000AA',
      keyId: 'key_01K7A0000000000000000000BB',
      secret: letter.repeat(2 * SECRET_BYTES),
    },
    { current: 'a pepper' },
  );
const KEY = textOf('a');

describe('standard input', () => {
  it.each([
    ['alone', KEY],
    ['before a line break', `${KEY}\r\n`],
    ['between white space', `\n \t${KEY} \n\n`],
    ['in a header', `Authorization: Bearer ${KEY}\nAccept: */*\n`],
    ['in quotes', `OPENAI_API_KEY="${KEY}"`],
    ['over two lines', `${KEY.slice(0, 80)}\n${KEY.slice(80)}\n`],
    ['twice', `${KEY}\n${KEY}\n`],
  ])('gives the key that it contains %s', async (_name, text) => {
    expect(await readKeyText(Readable.from([text]))).toBe(KEY);
  });

  it('yields the whole key if it arrives in two parts', async () => {
    expect(await readKeyText(Readable.from([KEY.slice(0, 9), KEY.slice(9)]))).toBe(KEY);
  });

  it.each([
    ['nothing', '', 'no API key'],
    ['a key without its end', KEY.slice(0, -1), 'no API key'],
    ['a key in capitals', KEY.toUpperCase(), 'no API key'],
    ['two keys', `${KEY}\n${textOf('b')}`, 'more than one API key'],
    ['a file that is too large', `${KEY}${' '.repeat(1_000_000)}`, 'more than 1000000 characters'],
  ])('causes an error without a part of it if it contains %s', async (_name, text, problem) => {
    const failure: unknown = await readKeyText(Readable.from([text])).catch((error: unknown) => error);
    expect(String(failure)).toContain(problem);
    expect(String(failure)).not.toContain(KEY.slice(0, 40));
  });
});

describe('a terminal', () => {
  /** A terminal that takes the text, and what it is made to show. */
  function terminal(text: string) {
    const shown: string[] = [];
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (mode: boolean) => void modes.push(mode),
    });
    input.write(text);
    const notice = { write: (part: string) => shown.push(part) > 0 };
    return { input: input as unknown as StandardInput, notice, shown, modes };
  }

  it('gives the entered key, and does not show it', async () => {
    const { input, notice, shown, modes } = terminal(`${KEY}\n`);
    expect(await readKeyText(input, notice)).toBe(KEY);
    expect(shown).toEqual(['API key (not shown): ', '\n']);
    // Raw mode: the terminal does not print what is typed.
    expect(modes).toEqual([true, false]);
  });

  it('causes an error if nothing is entered', async () => {
    const { input, notice, modes } = terminal('\u0003');
    await expect(readKeyText(input, notice)).rejects.toThrow('no key was entered');
    expect(modes).toEqual([true, false]);
  });
});
