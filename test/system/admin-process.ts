/** Runs the operator's commands for the tests of one service, so that each command does not take a process of its own. */
import { COMMANDS } from '../../operator/commands/commands.ts';
import { createOperator } from '../../operator/operator.ts';
import { readLocalTarget } from '../../operator/target.ts';

export interface AdminCommand {
  readonly id: number;
  readonly words: readonly string[];
}

export type AdminResult = {
  readonly id: number;
  /** Lines that the command reports in addition to its output. */
  readonly reported: string;
} & ({ readonly output: string } | { readonly error: string });

const reported: string[] = [];
console.error = (line: string) => void reported.push(`${line}\n`);

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** Runs `npm run admin -- <words> --json`. A failed command has an exit code other than 0. */
async function run([first = '', second = '', ...rest]: readonly string[]): Promise<string> {
  const two = COMMANDS[`${first} ${second}`];
  const command = two ?? COMMANDS[first];
  if (command === undefined) throw new Error(`no command ${first} ${second}`);
  const args = two === undefined ? [second, ...rest].filter((word) => word !== '') : rest;
  const operator = createOperator(readLocalTarget(process.env.LOCAL_DIR ?? ''), SILENT);
  try {
    const { output, exitCode } = await (command.alone?.(args) ?? command.run(operator, args));
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${JSON.stringify(output)}`);
    return JSON.stringify(output);
  } finally {
    operator.close();
  }
}

process.on('message', ({ id, words }: AdminCommand) => {
  const respond = (result: { output: string } | { error: string }) =>
    process.send?.({ id, reported: reported.splice(0).join(''), ...result } satisfies AdminResult);
  run(words).then(
    (output) => respond({ output }),
    (failure: unknown) => respond({ error: String(failure) }),
  );
});
process.on('disconnect', () => process.exit(0));
