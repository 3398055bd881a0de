/** Which tests can see a module: those that import it, however many modules lie between, the nearest first. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Source } from './source.ts';

/** Every TypeScript module below the folders, as paths from the root. */
export const modulesBelow = (root: string, folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => posix.join(entry.parentPath.slice(root.length + 1), entry.name)),
  );

export class ImportGraph {
  readonly #importers = new Map<string, string[]>();

  constructor(root: string, paths: readonly string[]) {
    for (const path of paths) {
      for (const specifier of new Source(readFileSync(join(root, path), 'utf8')).imports) {
        const target = posix.join(posix.dirname(path), specifier);
        this.#importers.set(target, [...(this.#importers.get(target) ?? []), path]);
      }
    }
  }

  /** The test files that import the module, the test of its own folder and name before others of the same distance. */
  testsOf(path: string): string[] {
    const seen = new Set([path]);
    let frontier = [path];
    const found: string[] = [];
    while (frontier.length > 0) {
      const next = [...new Set(frontier.flatMap((module) => this.#importers.get(module) ?? []))];
      frontier = next.filter((module) => !seen.has(module));
      for (const module of frontier) seen.add(module);
      const tests = frontier.filter((module) => module.endsWith('.test.ts'));
      found.push(...tests.sort((a, b) => kinship(b, path) - kinship(a, path)));
    }
    return found;
  }
}

/** How many folders two paths have in common below their first one. */
const kinship = (test: string, module: string): number => {
  const [a, b] = [test, module].map((path) => path.split('/').slice(1)) as [string[], string[]];

  return a.findIndex((folder, index) => folder !== b[index]);
};
