/**
 * The tests that a change reaches: those from which a chain of references leads to a changed file. A module refers to a
 * file that it imports, and to a file whose path one of its strings is, such as the program of a process that it starts.
 */
import { posix } from 'node:path';

/** These tests read the whole tree, and are fast. */
const ALWAYS = ['test/architecture/', 'test/docs/'];

const HANDLERS = /^lambdas\/\w+\/(endpoints|consumers)\/[^/]+\/handler\.ts$/;
const BUNDLED = new RegExp(`${HANDLERS.source}|^lambdas/servers/|^console/src/`);

/** References that no string of the module shows. */
const HIDDEN: Readonly<Record<string, RegExp>> = {
  'bin/app.ts': BUNDLED,
  'test/template/assemblies.ts': /^test\/template\/synthesize\.ts$/,
  'test/template/bundles.ts': BUNDLED,
  'tools/test-kit/handlers.ts': HANDLERS,
};

/** A change of a file elsewhere, such as of `package.json`, reaches everything. */
const KNOWN = [
  'catalogs/',
  'console/',
  'docs/',
  'examples/',
  'lambdas/',
  'lib/',
  'operator/',
  'test/',
  'tools/',
];

/**
 * The tests of the whole service that drive each context. Every test of the service reaches every module, so a change within
 * contexts runs those of its contexts alone; the others run in `npm test`. A context that all others use has no entry.
 */
const SYSTEM_TESTS: Readonly<Record<string, readonly string[]>> = {
  access: ['platform'],
  ledger: ['conversations', 'kills'],
  inference: ['conversations', 'examples', 'kinds'],
  payments: ['platform'],
  marketplace: ['examples', 'platform'],
  webhooks: ['examples', 'webhooks'],
  operations: ['platform'],
};

/** These modules list paths as data, and read none of them. */
const LISTS: ReadonlySet<string> = new Set([
  'tools/bench/mutants/areas.ts',
  'tools/bench/mutants/known.ts',
  'tools/bench/mutants.test.ts',
]);

/** Pages in the root that only tests of `ALWAYS` read. */
const ROOT_PAGE = /^[^/]+\.md$/;

/**
 * Returns the paths of the reached tests.
 * @param changed paths from the root, with `/`
 * @param files the text of each file of the repository by its path
 */
export function reachedTests(
  changed: readonly string[],
  files: ReadonlyMap<string, string>,
): readonly string[] | 'everything' {
  const isKnown = (path: string) => ROOT_PAGE.test(path) || KNOWN.some((folder) => path.startsWith(folder));
  if (!changed.every(isKnown)) return 'everything';
  const referrers = referrersIn(files);
  const reached = new Set(changed);
  for (const path of reached) for (const referrer of referrers.get(path) ?? []) reached.add(referrer);
  const readers = [...ALWAYS, ...changed.flatMap(readersOf)];
  const isLeftOut = systemFilter(changed);
  return [...files.keys()].filter(
    (path) =>
      path.endsWith('.test.ts') &&
      !isLeftOut(path) &&
      (reached.has(path) || readers.some((folder) => path.startsWith(folder))),
  );
}

/** Returns a filter of the tests of the whole service that a change within contexts leaves to `npm test`. */
function systemFilter(changed: readonly string[]): (path: string) => boolean {
  const contexts = changed
    .filter((path) => !/\.md$|\.test\.ts$/.test(path))
    .map((path) => SYSTEM_TESTS[/^lambdas\/(\w+)\//.exec(path)?.[1] ?? '']);
  if (contexts.some((names) => names === undefined)) return () => false;
  const selected = new Set([...changed, ...contexts.flat().map((name) => `test/system/${name}.test.ts`)]);
  return (path) => path.startsWith('test/system/') && !selected.has(path);
}

/** Returns the folders of the tests that read a file of data by listing its folder. */
function readersOf(path: string): readonly string[] {
  if (path.startsWith('catalogs/')) return ['test/catalogs/', 'operator/', 'lib/', 'test/template/'];
  if (path.startsWith('examples/'))
    return ['test/system/examples.test.ts', 'test/system/market-examples.test.ts'];
  if (path.endsWith('.ts')) return [];
  const [folder, section] = path.split('/');
  if (folder === 'test') return [`test/${section}/`];
  const testing = path.indexOf('testing/');
  return testing === -1 ? [] : [path.slice(0, testing)];
}

/** Returns the modules that refer to each file. */
function referrersIn(files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const referrers = new Map<string, string[]>();
  for (const [path, text] of files)
    if (/\.tsx?$/.test(path))
      for (const target of referencesOf(path, text, files))
        referrers.set(target, [...(referrers.get(target) ?? []), path]);
  return referrers;
}

/** Strings, and the arguments of `join` as one. */
const STRINGS = /\bjoin\(\s*(?:[\w.]+,\s*)?((?:'[^'\n]*'(?:,\s*)?)+)\)|'([^'\n]+\.\w+)'/g;

function referencesOf(path: string, text: string, files: ReadonlyMap<string, string>): Set<string> {
  if (LISTS.has(path)) return new Set();
  const hidden = HIDDEN[path];
  const targets = new Set(hidden === undefined ? [] : [...files.keys()].filter((file) => hidden.test(file)));
  for (const [, joined, single] of text.matchAll(STRINGS)) {
    const name = single ?? joined?.replace(/',\s*'/g, '/').replace(/'(?:,\s*)?/g, '') ?? '';
    for (const target of [posix.join(posix.dirname(path), name), posix.normalize(name)])
      if (files.has(target)) targets.add(target);
  }
  targets.delete(path);
  return targets;
}
