import { describe, expect, it } from '@jest/globals';
import { readOptions } from './read-options.ts';

const OPTIONS = { account: { type: 'string' }, yes: { type: 'boolean' } } as const;

describe('a command line', () => {
  it.each([
    [OPTIONS, '--acount', 'there is no option --acount: the options are --account, --yes'],
    [{}, '--all', 'there is no option --all: it takes none'],
  ])('answers an option that does not exist with those that do: %j', (options, word, message) => {
    expect(() => readOptions([word, 'x'], { options, allowPositionals: true })).toThrow(message);
  });

  it('takes a negative number after an option', () => {
    const { values } = readOptions(['--account', '-5', '--yes'], { options: OPTIONS });
    expect(values).toEqual({ account: '-5', yes: true });
  });

  it('rejects a word that is no option, as Node.js does', () => {
    expect(() => readOptions(['x'], { options: OPTIONS })).toThrow("Unexpected argument 'x'");
  });
});
