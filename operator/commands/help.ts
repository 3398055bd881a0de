/** The help of the operator's command. The lines are those of `docs/operate/commands.md`, so that both have the same words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface DescribedCommand {
  /** The heading of its table. */
  readonly section: string;
  readonly forms: readonly string[];
  readonly description: string;
}

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'operate', 'commands.md');

const INTRODUCTION = [
  'usage: npm run admin -- <command> [--json] [--stage STAGE]',
  'Without --stage, the local service; with it, the deployment of that stage in AWS.',
  'Exit code: 0 if the command succeeded, 1 if its result is negative, 2 for an error.',
];

/** Returns the commands of a page, whose tables have the forms in the first column and the description in the second. */
function describedCommands(page: string): readonly DescribedCommand[] {
  const commands: DescribedCommand[] = [];
  let section = '';
  for (const line of page.split('\n')) {
    const heading = /^\| ([^`|-][^|]*) \| \|$/.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    const [, first = '', second = ''] = /^\| (`.*`) \| (.*) \|$/.exec(line) ?? [];
    if (first === '') continue;
    const forms = [...first.matchAll(/`([^`]+)`/g)].map(([, form = '']) => form);
    commands.push({ section, forms, description: plainText(second) });
  }
  return commands;
}

/** Returns the text without links and code marks. */
const plainText = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');

/** Returns the help: of all commands, or of those that start with the words. */
export function helpText(words: readonly string[] = [], page = readFileSync(PAGE, 'utf8')): string {
  const beginning = words.join(' ');
  const lines = [...INTRODUCTION];
  let section = '';
  for (const command of describedCommands(page)) {
    if (!command.forms.some((form) => `${form} `.startsWith(beginning === '' ? '' : `${beginning} `)))
      continue;
    if (command.section !== section) lines.push('', command.section);
    section = command.section;
    lines.push(...command.forms.map((form) => `  ${form}`), `      ${command.description}`);
  }
  return lines.join('\n');
}

/** Returns the error of a command that does not exist, with those that have a word of it. */
export function unknownCommand(words: readonly string[], names: readonly string[]): string {
  const similar = names.filter((name) => name.split(' ').some((word) => words.includes(word)));
  return [
    `error: unknown command: ${words.join(' ')}`,
    ...(similar.length === 0 ? [] : [`did you mean ${similar.join(', ')}?`]),
    'npm run admin -- --help lists all commands',
  ].join('\n');
}
