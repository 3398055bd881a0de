/** The options of every command line of the operator. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Joins an option and the negative number after it, which the parser takes for an option: each command says what it takes. */
function withNegatives(args: readonly string[]): string[] {
  const words: string[] = [];
  for (const word of args) {
    const last = words.at(-1) ?? '';
    if (/^-[\d.]/.test(word) && /^--[^=]+$/.test(last)) words[words.length - 1] = `${last}=${word}`;
    else words.push(word);
  }
  return words;
}

/** Reads arguments as `parseArgs` of Node.js does. The error for an option that does not exist lists those that do. */
export function readOptions<T extends ParseArgsConfig>(
  args: readonly string[],
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs<T>({ ...config, args: withNegatives(args) });
  } catch (failure) {
    const [, unknown] = /^Unknown option '([^']*)'/.exec((failure as Error).message) ?? [];
    if (unknown === undefined) throw failure;
    const names = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    const known = names.length === 0 ? 'it takes none' : `the options are ${names.join(', ')}`;
    throw new Error(`there is no option ${unknown}: ${known}`, { cause: failure });
  }
}
