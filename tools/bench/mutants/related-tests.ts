/** The tests that import a module, directly or through other modules, with the nearest first. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { digestOf } from './sample.ts';
import { ModuleSource } from './source.ts';

/** Every TypeScript module below the folders, as paths from the root. */
export const modulesBelow = (root: string, folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => posix.join(entry.parentPath.slice(root.length + 1), entry.name)),
  );

export class ImportGraph {
  readonly #importers = new Map<string, string[]>();
  readonly #imports = new Map<string, string[]>();
  readonly #digests = new Map<string, string>();

  constructor(root: string, paths: readonly string[]) {
    for (const path of paths) {
      const text = readFileSync(join(root, path), 'utf8');
      const targets = new ModuleSource(text).imports.map((specifier) =>
        posix.join(posix.dirname(path), specifier),
      );
      for (const target of targets)
        this.#importers.set(target, [...(this.#importers.get(target) ?? []), path]);
      this.#imports.set(path, targets);
      this.#digests.set(path, digestOf(text));
    }
  }

  /** The test files that import the module, the test of its own folder and name before others of the same distance. */
  testsOf(path: string): string[] {
    return rounds(path, this.#importers).flatMap((round) =>
      round
        .filter((module) => module.endsWith('.test.ts'))
        .sort((a, b) => kinship(b, path) - kinship(a, path)),
    );
  }

  /** Another one when the module has changed, or any that it imports, however many lie between. */
  digestOf(path: string): string {
    const modules = [path, ...rounds(path, this.#imports).flat()].sort();
    return digestOf(modules.map((module) => `${module} ${this.#digests.get(module)}`).join('\n'));
  }
}

/** The modules that are one step away from a module, two steps, and so on. */
function rounds(path: string, steps: ReadonlyMap<string, readonly string[]>): string[][] {
  const visited = new Set([path]);
  const testPaths: string[][] = [];
  for (let frontier = [path]; frontier.length > 0; ) {
    const next = new Set(frontier.flatMap((module) => steps.get(module) ?? []));
    frontier = [...next].filter((module) => !visited.has(module));
    for (const module of frontier) visited.add(module);
    testPaths.push(frontier);
  }
  return testPaths;
}

/** Returns the number of folders that two paths share below their first one. */
const kinship = (test: string, module: string): number => {
  const [a, b] = [test, module].map((path) => path.split('/').slice(1)) as [string[], string[]];

  return a.findIndex((folder, index) => folder !== b[index]);
};
