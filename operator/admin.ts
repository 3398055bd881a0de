/** `npm run admin -- <command> [--json] [--stage S]`: the operator's command, against the local service or AWS. */

import { problemOf } from './aws-account.ts';
import { type CommandOutput, requireNoKey } from './commands/arguments.ts';
import { COMMANDS } from './commands/commands.ts';
import { helpText, unknownCommand } from './commands/help.ts';
import { forPeople } from './commands/people.ts';
import { createOperator } from './operator.ts';
import { readAwsTarget, readLocalTarget } from './target.ts';

/** Takes an option and its value out of the arguments. */
function takeOption(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  if (at === -1) return undefined;
  const [, value] = args.splice(at, 2);
  if (value === undefined) throw new Error(`${name} needs a value`);
  return value;
}

function takeFlag(args: string[], name: string): boolean {
  const at = args.indexOf(name);
  if (at !== -1) args.splice(at, 1);
  return at !== -1;
}

const note =
  (level: string) =>
  (message: string, fields: object = {}) =>
    console.error(`${level} ${message} ${JSON.stringify(fields)}`);

async function main(args: string[]): Promise<number> {
  requireNoKey(args);
  const json = takeFlag(args, '--json');
  const stage = takeOption(args, '--stage');
  if (takeFlag(args, '--help') || args[0] === 'help') {
    console.log(helpText(args.filter((word) => word !== 'help' && !word.startsWith('-'))));
    return 0;
  }
  if (args.length === 0) throw new Error('name a command: npm run admin -- --help lists them');
  const words = COMMANDS[args.slice(0, 2).join(' ')] === undefined ? 1 : 2;
  const command = COMMANDS[args.slice(0, words).join(' ')];
  if (command === undefined) {
    console.error(unknownCommand(args.slice(0, 2), Object.keys(COMMANDS)));
    return 2;
  }
  const rest = args.slice(words);
  const print = ({ output, exitCode, text = forPeople(output) }: CommandOutput): number => {
    console.log(json ? JSON.stringify(output) : text);
    return exitCode;
  };
  const alone = command.alone?.(rest, stage);
  if (alone !== undefined) return print(await alone);
  const localDir = process.env.LOCAL_DIR ?? '.local';
  const target = stage === undefined ? readLocalTarget(localDir) : await readAwsTarget(stage);
  const operator = createOperator(target, { info: () => {}, warn: note('warning:'), error: note('error:') });
  try {
    await operator.layouts.requireReadable().catch((failure: NodeJS.ErrnoException) => {
      if (stage !== undefined || failure.code !== 'ECONNREFUSED') throw failure;
      throw new Error(`the local service of ${localDir} is not running: start it with npm start`);
    });
    return print(await command.run(operator, rest));
  } finally {
    operator.close();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (failure) {
  console.error(`error: ${problemOf(failure)}`);
  process.exitCode = 2;
}
