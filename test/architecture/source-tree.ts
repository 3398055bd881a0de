/** The project's files as the rules see them: repository paths, text, and syntax for TypeScript. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Import, importsOf, parse, type SyntaxNode } from './syntax.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** The folders whose modules have rules; tests next to them have none. */
export const SOURCE_FOLDERS = ['bin', 'lib', 'lambdas', 'operator', 'console', 'tools'] as const;

/** Tests, and what tests share. */
const TEST_CODE = /\.test\.ts$|\/testing\/|^(test|tools\/test-kit)\//;

export const isTestCode = (path: string): boolean => TEST_CODE.test(path);

export interface Module {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly tree: readonly SyntaxNode[];
  readonly imports: readonly Import[];
}

const IGNORED: ReadonlySet<string> = new Set([
  '.git',
  ...readFileSync(join(ROOT, '.gitignore'), 'utf8')
    .replaceAll('/*', '/')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
    .filter((line) => line !== ''),
]);

/** Every file below a folder, except what git ignores; none when there is no such folder. */
export function filesIn(folder = ''): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name)) return [];
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The names directly in a folder; none when there is no such folder. */
export const namesIn = (folder: string): string[] =>
  existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)).sort() : [];

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const parsed = new Map<string, Module>();

/** Parses each file once: a tree takes twenty times the memory of its text, and a dozen rules read all. */
function toModule(path: string): Module {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const text = read(path);
  const tree = parse(text, path.endsWith('.tsx'));
  const module = { path, text, tree, imports: importsOf(tree) };
  parsed.set(path, module);
  return module;
}

export const modulesIn = (...folders: readonly string[]): Module[] =>
  folders
    .flatMap((folder) => filesIn(folder))
    .filter((path) => /\.tsx?$/.test(path))
    .map(toModule);

/** Every module of the product and its tools, without tests. */
export const sourceModules = (...folders: readonly string[]): Module[] =>
  modulesIn(...(folders.length === 0 ? SOURCE_FOLDERS : folders)).filter(({ path }) => !isTestCode(path));

/** The module a relative import names, as a repository path; undefined for a package or a built-in. */
export function targetOf({ path }: Pick<Module, 'path'>, { specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
}

/** `@scope/name` or `name` of an import from a package, `node:name` of a built-in. */
export const packageOf = ({ specifier }: Import): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
