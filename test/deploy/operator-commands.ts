/** The `aws` commands of the operator's pages, run as they are written there, by the AWS CLI itself. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Emulator, REGION } from './emulator.ts';

const run = promisify(execFile);
const pages = globSync(join(import.meta.dirname, '..', '..', 'docs', '{operate.md,operate/*.md}'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Each command of a code block or of a sentence, on one line. */
const COMMANDS: readonly string[] = [
  ...pages.matchAll(/^ *(aws (?:[^\n]*\\\n)*[^\n]*)$/gm),
  ...pages.matchAll(/`(aws [^`]*)`/g),
].map(([, command = '']) => command.replaceAll(/\\?\n\s*/g, ' '));

/** The values for the blanks that the pages leave to the operator, by their spelling there. */
export type Blanks = Readonly<Record<string, string>>;

export class OperatorCommands {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #python: string;
  readonly #stage: string;
  readonly #run = new Set<string>();

  /** Uses the AWS CLI beside this Python. */
  constructor(emulator: Emulator, python: string, stage: string) {
    this.#python = python;
    this.#stage = stage;
    this.#environment = { ...process.env, ...emulator.variables, AWS_DEFAULT_REGION: REGION, AWS_PAGER: '' };
  }

  /** The commands that nothing has run yet. */
  get remainingCommands(): readonly string[] {
    return COMMANDS.filter((command) => !this.#run.has(command));
  }

  /**
   * Runs each command of the pages that begins so, its blanks filled in, for this stage; resolves with what each
   * printed. Throws with the CLI's message when one fails, and when the pages have no such command.
   */
  async run(beginning: string, blanks: Blanks = {}, ...args: readonly string[]): Promise<readonly unknown[]> {
    const matching = COMMANDS.filter((command) => command.startsWith(beginning));
    if (matching.length === 0) throw new Error(`the operator’s pages have no ${beginning}`);
    const printed: unknown[] = [];
    for (const command of matching) {
      this.#run.add(command);
      printed.push(await this.#cli([...wordsOf(this.#filled(command, blanks)), ...args]));
    }
    return printed;
  }

  #filled(command: string, blanks: Blanks): string {
    const filled = Object.entries(blanks).reduce(
      (text, [blank, value]) => text.replaceAll(blank, value),
      command.replaceAll(/\bprod([/-])/g, `${this.#stage}$1`),
    );
    if (/<\w/.test(filled)) throw new Error(`nothing was filled in for a blank of ${filled}`);
    return filled;
  }

  async #cli([, ...words]: readonly string[]): Promise<unknown> {
    const cli = join(dirname(this.#python), 'aws');
    const { stdout } = await run(cli, [...words, '--output', 'json'], { env: this.#environment });
    return stdout.trim() === '' ? undefined : JSON.parse(stdout);
  }
}

/** Splits a command into words like a shell: at spaces, except between single quotes. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
