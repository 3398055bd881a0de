import { describe, expect, it } from '@jest/globals';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import { PROTOCOLS } from '../../lambdas/inference/core/catalog/route-document.ts';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import type { Authentication, Route } from '../../lambdas/platform/contract/route.ts';
import { filesIn, modulesIn, namesIn, read, SOURCE_FOLDERS, sourceModules } from './source-tree.ts';
import { nodes, parse, type SyntaxNode } from './syntax.ts';

/**
 * The maximum lines of a handler. The first limit is for a handler with its endpoint in another module, which is wiring
 * only. The second is for a handler that contains its endpoint.
 */
const MAX_WIRING_LINES = 30;
const MAX_HANDLER_LINES = 110;

/** The factories of the handlers, by the authentication of the route; calls of models have their own. */
const FACTORIES = {
  none: ['staticHandler', 'publicHandler'],
  'api-key': ['keyHandler'],
  session: ['sessionHandler', 'streamedSessionHandler'],
  'api-key-or-session': ['keyOrSessionHandler'],
  operator: ['operatorHandler'],
} as const satisfies Readonly<Record<Authentication, readonly string[]>>;

/** One streams a file; the other is made for two hosts. */
const OTHERWISE_CREATED = ['get-console', 'get-console-asset', 'get-docs-asset', 'create-transcription'];

/** Request, response, stream, errors, usage and their kin; more says that a protocol wants splitting. */
const MAX_PROVIDER_FILES = 8;

const handlers = sourceModules('lambdas').filter(({ path }) => path.endsWith('/handler.ts'));

/** The folders of the functions, by their names. */
const foldersOf = (kind: 'endpoints' | 'consumers'): ReadonlyMap<string, string> =>
  new Map(
    handlers
      .map(({ path }) => path.replace('/handler.ts', '').split('/'))
      .filter((parts) => parts.at(-2) === kind)
      .map((parts) => [parts.at(-1) ?? '', parts.join('/')]),
  );
const endpoints = foldersOf('endpoints');
const consumers = foldersOf('consumers');

const withoutTests = (names: readonly string[]): string[] =>
  names.filter((name) => !name.endsWith('.test.ts'));

/** The tests and benches of endpoints, which give them doubles and memory for what a handler gives them. */
const callers = modulesIn('test', 'tools', 'lambdas').filter(
  ({ path }) => !/^test\/architecture\/|\/handler\.ts$/.test(path),
);

const BRANCHES =
  /^(If|Switch|For|ForIn|ForOf|While|DoWhile|Try)Statement$|^(ConditionalExpression|OptionalChainingExpression)$/;
const LOGICAL = /^(&&|\|\||\?\?)=?$/;

/** The kinds of branches and loops in a module. */
const branchesOf = (tree: readonly SyntaxNode[]): string[] =>
  nodes(tree)
    .filter(({ type, operator }) => BRANCHES.test(type) || LOGICAL.test(String(operator)))
    .map(({ type, operator }) => (BRANCHES.test(type) ? type : String(operator)));

describe('the folders of the functions', () => {
  it('match the endpoints of the route table, one folder each', () => {
    const named = new Set([...ROUTES.map(({ endpoint }) => endpoint), UNKNOWN_ROUTE_ENDPOINT]);
    expect([...endpoints.keys()].sort()).toEqual([...named].sort());
  });

  it('serve one route, also with the id outside of the path, and of both kinds of listing', () => {
    for (const endpoint of new Set(ROUTES.map((route) => route.endpoint))) {
      const rows = ROUTES.filter((route) => route.endpoint === endpoint);
      const handledRoutes = rows.map(
        ({ method, path, ...row }: Route) =>
          `${method} ${path.replace(/^\/(apps|ai-agents)/, '/*')}${row.idOutsidePath === true ? '/{id}' : ''}`,
      );
      expect([endpoint, new Set(handledRoutes).size]).toEqual([endpoint, 1]);
    }
  });

  it('match the consumers of the contract, one folder each', () => {
    expect([...consumers.keys()].sort()).toEqual(Object.keys(CONSUMERS).sort());
  });

  it.each([
    ...[...endpoints.values()].map((folder) => [folder, 'endpoint.ts'] as const),
    ...[...consumers.values()].map((folder) => [folder, 'consumer.ts'] as const),
  ])('hold a handler, and what it wires if a test calls that: %s', (folder, wired) => {
    const isCalled = callers.some(
      ({ path, text }) =>
        text.includes(`/${folder.split('/').at(-1)}/${wired}'`) ||
        (path.startsWith(`${folder}/`) && text.includes(`'./${wired}'`)),
    );
    expect(withoutTests(namesIn(folder))).toEqual(isCalled ? [wired, 'handler.ts'] : ['handler.ts']);
  });
});

describe('the route table', () => {
  it('lists each method of each path once', () => {
    const rows = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  });
});

describe('a handler', () => {
  it.each(handlers.map((module) => [module.path, module] as const))(
    'stays short, contains no branch if its endpoint is a module, and exports nothing but itself: %s',
    (path, { text, tree }) => {
      const isWiring = withoutTests(namesIn(path.replace('/handler.ts', ''))).length > 1;
      const maxLines = isWiring ? MAX_WIRING_LINES : MAX_HANDLER_LINES;
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(maxLines);
      if (isWiring) expect(branchesOf(tree)).toEqual([]);
      const exported = tree.filter(({ type }) => type.startsWith('Export'));
      expect(exported).toEqual([
        expect.objectContaining({
          declaration: expect.objectContaining({
            declarations: [expect.objectContaining({ id: expect.objectContaining({ value: 'handler' }) })],
          }),
        }),
      ]);
    },
  );

  it.each(
    (ROUTES as readonly Route[])
      .filter(({ endpoint }) => !OTHERWISE_CREATED.includes(endpoint))
      .map((route) => [route.endpoint, route] as const),
  )('uses the factory for the authentication and the error format of its route: %s', (endpoint, route) => {
    const text = read(`${endpoints.get(endpoint)}/handler.ts`);
    const [, factory, surface] = /export const handler = (\w+)\(\s*'(\w+)'/.exec(text) ?? [];
    expect(route.paid ? ['paidHandler'] : FACTORIES[route.authentication]).toContain(factory);
    expect(surface).toBe(route.surface);
  });

  it.each([
    ['if (a) b();', 'IfStatement'],
    ['const c = a ? b : 1;', 'ConditionalExpression'],
    ['for (const b of a) c(b);', 'ForOfStatement'],
    ['a && b();', '&&'],
    ['const c = a ?? b;', '??'],
    ['a ||= b;', '||='],
    ['const c = a?.b;', 'OptionalChainingExpression'],
  ])('causes a failure if it branches by %s', (source, branch) => {
    expect(branchesOf(parse(source))).toEqual([branch]);
  });
});

/**
 * The folder of calls other than conversations. Such a call is one request and one response, so one file per protocol
 * holds all of it.
 */
const KINDS = 'lambdas/inference/providers/kinds';
/**
 * The folder of the code that the protocols which serve Claude share. Like the folder for OpenAI below, it is not a
 * protocol.
 */
const CLAUDE = 'lambdas/inference/providers/claude';
const OPENAI_FORMATS = 'lambdas/inference/providers/openai-formats';
/** The folder that reads the errors of every protocol. */
const REJECTIONS = 'lambdas/inference/providers/rejections';

describe('the folders of the providers', () => {
  const providers = namesIn('lambdas/inference/providers').filter(
    (name) =>
      !name.includes('.') &&
      ![KINDS, CLAUDE, OPENAI_FORMATS, REJECTIONS].includes(`lambdas/inference/providers/${name}`),
  );

  it('contain the same few files', () => {
    expect(providers).toContain('openai');
    const skeleton = withoutTests(namesIn('lambdas/inference/providers/openai'));
    expect(skeleton.length).toBeLessThanOrEqual(MAX_PROVIDER_FILES);
    for (const name of providers)
      expect([name, withoutTests(namesIn(`lambdas/inference/providers/${name}`))]).toEqual([name, skeleton]);
  });

  it('contain, for each other kind of call, the files of each protocol that serves it', () => {
    const kinds = namesIn(KINDS).filter((name) => !name.includes('.'));
    for (const kind of kinds) {
      const files = withoutTests(namesIn(`${KINDS}/${kind}`)).map((file) => file.replace(/\.ts$/, ''));
      expect(files).toContain('openai');
      const isNamed = (file: string) =>
        PROTOCOLS.some((protocol) => file === protocol || file.startsWith(`${protocol}-`));
      expect(files.filter((file) => !isNamed(file))).toEqual([]);
    }
  });
});

/** An example is read as a whole before it is copied. */
const MAX_EXAMPLE_FILES = 3;
const MAX_EXAMPLE_LINES = 80;

describe('the folder of an example', () => {
  const examples = namesIn('examples').filter((name) => !name.includes('.'));

  it.each(examples)('contains few and short files, and the index lists it: %s', (name) => {
    const files = filesIn(`examples/${name}`);
    expect(files.length).toBeLessThanOrEqual(MAX_EXAMPLE_FILES);
    for (const file of files) {
      const lines = read(file).trimEnd().split('\n').length;
      expect([file, lines <= MAX_EXAMPLE_LINES]).toEqual([file, true]);
    }
    expect(read('examples/README.md')).toContain(`| [${name}](${name}`);
  });
});

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Names that admit everything collect everything. */
const GRAB_BAG = /^(utils?|helpers?|commons?|shared|misc|managers?)$/;

describe('the names of folders and modules', () => {
  const paths = [...SOURCE_FOLDERS, 'test', 'docs', 'examples'].flatMap((folder) => filesIn(folder));
  const parts = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .map((part) =>
          part.replace(/(\.test|\.d)?\.(tsx?|css|html|asl\.json|json|mjs|py|java|toml|dockerfile)$/, ''),
        ),
    ),
  );

  it('use kebab-case', () => {
    const documents = /\.(md|txt|sse|bin|xml|png|go|mod|sum)$/;
    expect([...parts].filter((part) => !KEBAB.test(part) && !documents.test(part))).toEqual([]);
  });

  it('describe the content', () => {
    expect([...parts].filter((part) => part.split('-').some((word) => GRAB_BAG.test(word)))).toEqual([]);
  });
});
