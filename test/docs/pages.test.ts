import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { SETTINGS } from '../../lib/config/config.ts';
import { COMMANDS } from '../../operator/commands/commands.ts';
import { isHistory, PAGES, ROOT, readPage } from './pages.ts';
import { readDocument, readerOf, snippetsOf } from './snippets.ts';

const MAX_README_LINES = 120;
/** A page of the documentation has one subject. */
const MAX_PAGE_LINES = 250;

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { scripts } = readJson('package.json') as { scripts: Readonly<Record<string, string>> };
const cdk = readJson('node_modules/aws-cdk/lib/cli/cli-type-registry.json') as { commands: object };
const benches = readFileSync(join(ROOT, 'tools', 'bench', 'run.ts'), 'utf8');
const rings = readFileSync(join(ROOT, 'jest.config.js'), 'utf8');

/** The commands of a text by the program that runs them, with the names that this program knows. */
const COMMAND_NAMES: readonly (readonly [RegExp, (name: string) => boolean])[] = [
  [/npm run (?:--silent )?([a-z][a-z:-]*)/g, (name) => name in scripts],
  [/npx cdk ([a-z-]+)/g, (name) => name in cdk.commands],
  [
    /npm run bench -- ([a-z]+(?:-[a-z]+)*)/g,
    (name) => new RegExp(`^ {2}'?${name}'?: measure`, 'm').test(benches),
  ],
  [/--selectProjects ([a-z-]+)/g, (name) => rings.includes(`'${name}'`)],
];

/** Returns why the operator's command rejects these words; undefined if it accepts them. */
function rejectedCommand(command: string): string | undefined {
  const words = command.trim().split(/\s+/);
  const name = COMMANDS[words.slice(0, 2).join(' ')] === undefined ? words.slice(0, 1) : words.slice(0, 2);
  const usage = COMMANDS[name.join(' ')]?.usage;
  if (usage === undefined) return `${command}: no such command`;
  const first = words[name.length];
  if (first !== undefined && !first.startsWith('-') && !/^[A-Z]/.test(usage)) return `${command}: ${first}`;
  const options = [...command.matchAll(/--(?!stage|json)[a-z-]+/g)].map(([option]) => option);
  const unknown = options.find((option) => !usage.includes(option));
  return unknown === undefined ? undefined : `${command}: ${unknown}`;
}

const unknownCommands = (text: string): readonly string[] => [
  ...COMMAND_NAMES.flatMap(([pattern, isKnown]) =>
    [...text.matchAll(pattern)].filter(([, name = '']) => !isKnown(name)).map(([command]) => command),
  ),
  ...[...text.matchAll(/npm run admin -- ([a-z][^`\n#]*)/g)].flatMap(
    ([, command = '']) => rejectedCommand(command) ?? [],
  ),
];

const folders: ReadonlySet<string> = new Set(
  readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name),
);
const CODE =
  '{bin,catalogs,console,examples,lambdas,lib,operator,test,tools}/**/*.{ts,tsx,json,js,mjs,py,md}';
const ROUTE_PATTERNS = ROUTES.map(({ method, path }) => ({
  method,
  path: new RegExp(`^${path.replaceAll(/\{\w+\+\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Requests of clients that the pages explain the rejection of. */
const REJECTED_REQUESTS: ReadonlySet<string> = new Set(['GET /v1/responses', 'POST /v1/responses/compact']);

/** Returns the requests in code spans and in `curl` commands for which there is no route. A shortened path is not checked. */
const unknownRoutes = (text: string): readonly string[] =>
  [
    ...spansOf(text).flatMap((span) => [...span.matchAll(/^(GET|POST|PUT|PATCH|DELETE) (\/[\w./{}*-]*)/g)]),
    ...text.matchAll(/curl (?:-X (\w+) )?"?\$(?:PLATFORM_URL|BASE_URL)(\/[\w./{}*-]*)/g),
  ]
    .filter(([, , path = '']) => !/\.\.\.|\*/.test(path))
    .filter(
      ([, method, path = '']) =>
        !ROUTE_PATTERNS.some((route) => (!method || route.method === method) && route.path.test(path)),
    )
    .map(([request]) => request)
    .filter((request) => !REJECTED_REQUESTS.has(request));

const files = globSync(CODE, {
  cwd: ROOT,
  exclude: (path) => /node_modules|^test\/docs|results$/.test(path),
});
const fileNames: ReadonlySet<string> = new Set([...files.map((path) => posix.basename(path)), 'handler.ts']);

const spansOf = (text: string): readonly string[] =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

/** Returns the files and folders in code spans that do not exist, from the root or from the page. */
const missingPaths = (text: string, page: string): readonly string[] =>
  spansOf(text)
    .filter((span) => /^[\w@.{},*-]+(\/[\w@.{},*-]*)+$/.test(span) || /^[\w-]+(\.[\w-]+)*\.tsx?$/.test(span))
    .filter((path) =>
      path.includes('/')
        ? folders.has(path.split('/')[0] ?? '') || /\.(ts|md|py|json)$/.test(path)
        : !fileNames.has(path),
    )
    // Programs make these.
    .filter(
      (path) =>
        !/^(\.(build|local)|node_modules\/\.cache)(\/|$)/.test(path) &&
        !(isHistory(page) && !/\/.*\.\w+$/.test(path)),
    )
    .filter((path) => globSync([path, posix.join(dirname(page), path)], { cwd: ROOT }).length === 0);

const code = files
  .filter((path) => !path.endsWith('.md') && !/token-table/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');
const words: ReadonlySet<string> = new Set(code.split(/\W+/));

/** Names of AWS, of the shell and of other programs. */
const FOREIGN =
  /^(kms|bedrock|aws|lambda|apigateway|servicequotas|dynamodb|wafv2|cloudformation|iam|https?)[:-]|^aws |InferenceAccess$|^BadRequestException$|^(CLAUDE_CODE|XDG|ACME)_|^ANTHROPIC_(BASE_URL|AUTH_TOKEN)$|^ROLLBACK_COMPLETE$/;

/** Returns the text without the settings of other products, which pages about these have in all columns but the last. */
const ownText = (text: string, page: string): string =>
  /(^|\/)(from-[\w-]+|compared)\.md$/.test(page)
    ? text.replaceAll(/^\|.*$/gm, (row) => row.split('|').at(-2) ?? '')
    : text;

/** Returns the settings, variables, metrics, fields and options in code spans that no code has. */
const unknownNames = (text: string, page: string): readonly string[] => [
  ...spansOf(ownText(text, page))
    .filter((span) => !FOREIGN.test(span))
    .flatMap((span) => span.match(/\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]+_\w+)\b/g) ?? [])
    .filter((name) => !words.has(name) && !code.includes(name)),
  ...[...text.matchAll(/\bsettings? `(\w+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !SETTINGS.includes(name)),
];

/** Returns the variables that are set for a command, or named in a code span, and that no code reads. */
const unknownVariables = (text: string): readonly string[] =>
  [
    ...[...text.matchAll(/^(?:[A-Z_]+=\S+ )*([A-Z_]+)=\S+ (?:npm|npx|node) /gm)].map(([, name = '']) => name),
    ...spansOf(text).flatMap(
      (span) => /^([A-Z]{2,}(?:_[A-Z]+)+)(?:=\S+( npm start)?)?$/.exec(span)?.[1] ?? [],
    ),
  ].filter(
    (name) => !FOREIGN.test(name) && !new RegExp(`(\\.|['"\`])${name}\\b|[{,] ${name}(,| =| })`).test(code),
  );

/** Returns the anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const brokenLinks = (text: string, page: string): readonly string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)]
    .filter(([, target = '', anchor = '']) => {
      const file = join(ROOT, target === '' ? page : posix.join(posix.dirname(page), target));
      if (!existsSync(file)) return true;
      const headings = target === '' ? text : anchor === '' ? '' : readFileSync(file, 'utf8');
      return anchor !== '' && !anchorsOf(headings).includes(anchor);
    })
    .map(([link]) => link);

/** Returns the examples in JSON that what reads them would reject, and those that nothing reads. */
const invalidExamples = (text: string, page: string): readonly string[] =>
  snippetsOf(text, page)
    .filter(({ language }) => language === 'json')
    .flatMap(({ text: example }) => {
      try {
        return readerOf(readDocument(example)) === undefined ? [`nothing reads ${example}`] : [];
      } catch (failure) {
        return [String(failure)];
      }
    });

/** Private words, each with the term of the glossary. */
const PRIVATE: Readonly<Record<string, RegExp>> = {
  ledger: /\bbooks\b/i,
  'usage rollups': /\b(usage|hour|stored) sums\b/i,
  'sealed token': /\bcapsules?\b/i,
  rejected: /\brefused\b/i,
  response: /\bwhole answer|\bthe answers?\b/i,
  'next to, in addition to': /\bbeside\b/i,
  maintenance: /\bupkeep\b/i,
  shard: /\bparts? of (a|the) wallet|\bwallet parts?\b/i,
  'more expensive': /\bdearer|\bdearest\b/i,
  if: /\bas far as\b/i,
  'is stored in': /\b(lies|stands) in\b/i,
};

const privateWords = (text: string): readonly string[] => {
  // Some tables are generated from the code.
  const written = text.replaceAll(/<!-- ([\w ]+) -->[\s\S]*?<!-- \/\1 -->/g, '');
  const prose = written.replaceAll(/```[\s\S]*?```|`[^`]*`|\]\([^)]*\)/g, '');
  return Object.entries(PRIVATE).flatMap(([term, pattern]) =>
    (prose.match(new RegExp(pattern, 'gi')) ?? []).map((found) => `${found}: ${term}`),
  );
};

/** The address of an API in AWS ends in the stage, which `URL` would drop. */
const droppedStages = (text: string): readonly string[] =>
  [...text.matchAll(/new URL\([^()]+, [\w.]*(?:PLATFORM|BASE)_URL\)/g)].map(([found]) => found);

const tooLong = (text: string, page: string): readonly string[] => {
  const most = page === 'README.md' ? MAX_README_LINES : MAX_PAGE_LINES;
  const lines = text.trimEnd().split('\n').length;
  return /^(README|docs)\b/.test(page) && lines > most ? [`${lines} lines`] : [];
};

const CHECKS = {
  'command that does not exist': unknownCommands,
  'path that does not exist': missingPaths,
  'route that does not exist': unknownRoutes,
  'name that no code has': unknownNames,
  'variable that no code reads': unknownVariables,
  'link without its file or heading': brokenLinks,
  'example that is rejected': invalidExamples,
  'word that the glossary replaces': privateWords,
  'address without its stage': droppedStages,
  'lines above its limit': tooLong,
} as const satisfies Readonly<Record<string, (text: string, page: string) => readonly string[]>>;

const present = PAGES.filter((page) => !isHistory(page));

describe('a page', () => {
  it.each(Object.entries(CHECKS))('contains no %s', (name, check) => {
    expect(present.length).toBeGreaterThan(30);
    // Links and files of decisions follow when a file moves.
    const pages = check === missingPaths || check === brokenLinks ? PAGES : present;
    const found = pages.flatMap((page) => check(readPage(page), page).map((what) => `${page}: ${what}`));
    expect([name, found]).toEqual([name, []]);
  });
});

describe('an example', () => {
  it('requests the address of an API with its stage', () => {
    const programs = files.filter((path) => /^examples\/.*\.m?js$/.test(path));
    expect(programs.length).toBeGreaterThan(5);
    expect(programs.flatMap((path) => droppedStages(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });
});

describe('the checks of pages', () => {
  it.each([
    ['command that does not exist', '`npm run deploi`', '`npm run deploy`'],
    ['command that does not exist', '`npx cdk syntesize`', '`npx cdk synth`'],
    ['command that does not exist', '`npm run bench -- lodger`', '`npm run bench -- ledger`'],
    ['command that does not exist', '`npm run admin -- key make`', '`npm run admin -- key create`'],
    ['command that does not exist', '`npm run admin -- sweep --all`', '`npm run admin -- sweep`'],
    ['command that does not exist', '`npm run admin -- wallet show A`', '`npm run admin -- operators add A`'],
    ['path that does not exist', '`lambdas/nowhere`', '`lambdas/ledger`'],
    ['path that does not exist', '`other-routes.ts`', '`routes.ts`'],
    ['route that does not exist', '`POST /api/v1/payout`', '`POST /api/v1/payouts` `{"amount"}`'],
    ['route that does not exist', 'curl -X PATCH $PLATFORM_URL/apps', 'curl -X POST $PLATFORM_URL/apps'],
    ['name that no code has', '`budgetEuro`', '`budgetUsd`'],
    ['name that no code has', 'the setting `balance`', 'the setting `stage`'],
    ['variable that no code reads', '```bash\nPORTS=1 npm start\n```', '```bash\nPORT=1 npm start\n```'],
    ['variable that no code reads', '`LOCAL_DIRECTORY`', '`LOCAL_DIR`'],
    ['link without its file or heading', '[x](nowhere.md)', '[x](glossary.md)'],
    ['link without its file or heading', '[x](glossary.md#nothing)', '[x](glossary.md#money)'],
    ['example that is rejected', '```json\n{"stage": 1}\n```', '```json\n{"stage": "a"}\n```'],
    ['example that is rejected', '```json\n{"models": 1}\n```', '```json\n{"item": 1}\n```'],
    ['example that is rejected', '```json\n{"id": 1}\n```', '```json\n{"transcribe": true}\n```'],
    ['example that is rejected', '```json\n{"unit": "day"}\n```', '```json\n{"item": "input"}\n```'],
    ['word that the glossary replaces', 'The books are exact.', 'The ledger is exact.'],
    ['address without its stage', "new URL('/apps', env.PLATFORM_URL)", 'new URL(`${PLATFORM_URL}/apps`)'],
    ['lines above its limit', 'a\n'.repeat(251), 'a\n'.repeat(250)],
  ] as const)('find a %s, row %#', (name, wrong, right) => {
    expect(CHECKS[name](wrong, 'docs/page.md')).toHaveLength(1);
    expect(CHECKS[name](right, 'docs/page.md')).toEqual([]);
  });
});

describe('the index of the documentation', () => {
  it('links to every page, directly or not', () => {
    const linked = (page: string): readonly string[] =>
      [...readPage(page).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, target = '']) =>
        posix.join(posix.dirname(page), target),
      );
    const reachable = new Set(['docs/README.md']);
    for (const page of reachable)
      if (page.endsWith('.md')) for (const next of linked(page)) reachable.add(next);
    expect(present.filter((page) => page.startsWith('docs/') && !reachable.has(page))).toEqual([]);
  });
});
