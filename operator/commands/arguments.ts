/** The definition of a command of the operator, and the parsing of its arguments. */
import type { ParseArgsConfig } from 'node:util';
import type { Operator } from '../operator.ts';
import { readOptions } from '../read-options.ts';

/** The output of a command, and its exit code. */
export interface CommandOutput {
  readonly output: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
  /** The text that a person reads in place of the output's fields. */
  readonly text?: string;
}

export interface Command {
  readonly usage: string;
  run(operator: Operator, args: readonly string[]): Promise<CommandOutput>;
  /** The same, where it needs no service; undefined for arguments with which it does. `stage` is that of `--stage`. */
  readonly alone?: (
    args: readonly string[],
    stage?: string,
  ) => CommandOutput | Promise<CommandOutput> | undefined;
}

/** Throws if an argument contains the text of a key, or a part of one: messages repeat arguments, and logs keep messages. */
export function requireNoKey(args: readonly string[]): void {
  if (args.some((word) => /uis_\w{20}/.test(word)))
    throw new Error(
      'an argument contains the text of a key, not a key id: "key find" finds the id by the text',
    );
}

/** Returns the outcome of a command that succeeded. */
export const ok = (output: Record<string, unknown>): CommandOutput => ({ output, exitCode: 0 });

/** Reads `--name value` options; throws when one is unknown or a required one is missing. */
export function options<T extends string>(
  args: readonly string[],
  required: readonly T[],
  optional: readonly string[] = [],
) {
  const names = [...required, ...optional];
  const config = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = readOptions(args, { options: config as NonNullable<ParseArgsConfig['options']> });
  for (const name of required) if (typeof values[name] !== 'string') throw new Error(`--${name} is required`);
  return values as Record<T, string> & Record<string, string | undefined>;
}

const MAX_REASON_CHARACTERS = 200;

/** Returns the reason of a command that changes the money of an account. Throws if it is not a line. */
export function reasonOf(value: string): string {
  const reason = value.trim();
  if (reason === '' || reason.length > MAX_REASON_CHARACTERS || /\p{Cc}/u.test(reason))
    throw new Error(`--reason must be a line of 1 to ${MAX_REASON_CHARACTERS} characters`);
  return reason;
}
