/**
 * The tests that a change reaches. A test is reached by a file that it imports, directly or not, which jest finds. This
 * module knows the rest: tests that start the service, bundle it, or read files.
 */

export type Reach =
  | 'everything'
  | {
      /** Files whose importers are reached: the changed modules, and if the service changed the starters of processes. */
      readonly modules: readonly string[];
      /** Beginnings of the paths of other tests that are reached. */
      readonly tests: readonly string[];
    };

/** They read the whole tree, and are fast. */
const ALWAYS = ['test/architecture/', 'test/docs/'];

/** They read the synthesized templates, or run the bundles. */
const TEMPLATES = ['test/lib/', 'test/bench/cost.test.ts'];

interface Area {
  readonly tests: readonly string[];
  /** True if a process that a test starts may load the file. */
  readonly isStarted: boolean;
}

/** Areas by the folder of a changed file. A change elsewhere, such as of `package.json`, reaches everything. */
const AREAS: Readonly<Record<string, Area>> = {
  lambdas: { tests: TEMPLATES, isStarted: true },
  lib: { tests: TEMPLATES, isStarted: true },
  local: { tests: ['test/lib/bundle-runtime.test.ts'], isStarted: true },
  simulators: { tests: [], isStarted: true },
  operator: { tests: ['test/system/'], isStarted: false },
  console: {
    tests: ['test/console/', 'test/lib/bundle', 'test/system/console-session.test.ts'],
    isStarted: false,
  },
  catalogs: { tests: ['test/catalogs/', 'test/operator/', ...TEMPLATES], isStarted: false },
  bench: { tests: [], isStarted: false },
  docs: { tests: [], isStarted: false },
  test: { tests: [], isStarted: false },
};

/** Pages in the root that only tests of `ALWAYS` read. */
const ROOT_PAGE = /^[^/]+\.md$/;

/**
 * Returns what a change reaches.
 * @param changed paths from the root, with `/`
 * @param starters modules that start processes
 */
export function reachOf(changed: readonly string[], starters: readonly string[]): Reach {
  const areas = changed
    .filter((path) => !ROOT_PAGE.test(path))
    .map((path) => AREAS[path.split('/')[0] ?? '']);
  if (areas.includes(undefined) || changed.some((path) => /^[^/]+$/.test(path) && !ROOT_PAGE.test(path)))
    return 'everything';
  const known = areas.filter((area) => area !== undefined);
  const modules = changed.filter((path) => /\.tsx?$/.test(path));
  const data = changed.filter((path) => path.startsWith('test/') && !path.endsWith('.ts'));
  return {
    modules: [...modules, ...(known.some(({ isStarted }) => isStarted) ? starters : [])],
    tests: [...new Set([...ALWAYS, ...known.flatMap(({ tests }) => tests), ...data.map(readersOf)])],
  };
}

/** The tests of a file of data are those of the folder around its own. */
const readersOf = (path: string): string => path.split('/').slice(0, -2).concat('').join('/');
