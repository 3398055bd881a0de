/** The pages of the repository, and their parts. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** The README files, the documentation and the runbook, from the repository's root. */
export const PAGES = globSync(['*.md', '{console,operator,tools/*}/*.md', '{docs,examples,lib}/**/*.md'], {
  cwd: ROOT,
});

/** Records of what was decided or changed. They name things that no longer exist. */
export const isHistory = (page: string): boolean => /^(CHANGELOG|docs\/decisions\/)/.test(page);

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Returns the rows of the table between two comments of a page, without its head, and without padding. */
export function rowsOf(page: string, name: string): readonly string[] {
  const section = readPage(page).split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0];
  if (section === undefined) throw new Error(`${page} has no section ${name}`);
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.replaceAll(/ +/g, ' '));
}

export const rowOf = (...cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`;

/** Returns the cells of a row. */
export const cellsOf = (row: string): readonly string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
