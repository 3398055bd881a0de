import { describe, expect, it } from '@jest/globals';
import { isTestCode, type Module, modulesIn, SOURCE_FOLDERS } from './source-tree.ts';
import { isIdentifier, nodes, parse, type SyntaxNode } from './syntax.ts';

/** A comment that starts with one of these words is a clause without its subject. */
const RELATIVE = /^(What|Whether|Of|Where|Who|Whose|How|Which|When|Why|That|As|By|Beside)\b/;

/** A title that starts with one of these words continues a sentence; one with a verb or a subject of its own is whole. */
const CONTINUED =
  /^(is|are|has|have|had|may|must|was|were|of|that|which|to|in|with|without|for|by|as|from|on|at|under|and|nor|not)\b/;

/** Names that end like an adjective: a type is a noun. */
const PARTICIPLE =
  /((?<!Ne|Se)ed|Made|Kept|Seen|Sent|Taken|Given|Known|Spent|Begun|Said|Found|Met|Wanted|Needed)$|^On[A-Z]/;

/** Two sides of one wire, each with its own view of the body that both name so. */
const SHARED_TYPES: ReadonlySet<string> = new Set(['ChatRequest', 'ChatMessage', 'ResponsesRequest']);

/** A literal that is spread into another one, on a line of its own: it only saves lines. */
const SPREAD_LITERAL = /^\s*\.\.\.(\{ .*\}|\[[^\]]*\]|\(\[[^\]]*\] as const\)),$/gm;

const modules = modulesIn(...SOURCE_FOLDERS, 'test').filter(({ path }) => !/-table\.ts$/.test(path));

const violations = (check: (module: Module) => readonly string[], of = modules): string[] =>
  of.flatMap((module) => check(module).map((what) => `${module.path}: ${what}`));

const commentsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\/\*\*\s*(?:\*\s*)?(\S[^\n]*)/g)]
    .map(([, first = '']) => first)
    .filter((first) => RELATIVE.test(first));

/** The function that a call starts from: `it` of `it.each(table)(title, run)`. */
function rootOf(callee: unknown): unknown {
  const node = callee as SyntaxNode | undefined;
  if (node?.type === 'CallExpression') return rootOf(node.callee);
  return node?.type === 'MemberExpression' ? rootOf(node.object) : node;
}

const titlesIn = (tree: readonly SyntaxNode[]): readonly string[] =>
  nodes(tree)
    .filter(({ type, callee }) => type === 'CallExpression' && isIdentifier(rootOf(callee), 'it'))
    .map((call) => (call.arguments as readonly { readonly expression: SyntaxNode }[])[0]?.expression)
    .flatMap((title) => (title?.type === 'StringLiteral' ? [String(title.value)] : []))
    .filter((title) => CONTINUED.test(title));

const TYPES = /^(TsInterfaceDeclaration|TsTypeAliasDeclaration|ClassDeclaration)$/;

const isExport = ({ type }: SyntaxNode): boolean => type === 'ExportDeclaration';

/** Returns the names of the types and classes that a module declares. */
const typesIn = (tree: readonly SyntaxNode[]): readonly string[] =>
  tree
    .map((node) => (isExport(node) ? (node.declaration as SyntaxNode) : node))
    .filter(({ type }) => TYPES.test(type))
    .map(({ id, identifier }) => String(((id ?? identifier) as SyntaxNode).value));

/** The names that several modules export, with the modules. */
function sharedTypes(of: readonly Pick<Module, 'path' | 'tree'>[]): readonly string[] {
  const locations = new Map<string, string[]>();
  for (const { path, tree } of of)
    for (const name of typesIn(tree.filter(isExport)))
      locations.set(name, [...(locations.get(name) ?? []), path]);
  return [...locations]
    .filter(([name, paths]) => paths.length > 1 && !SHARED_TYPES.has(name))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

const sources = modules.filter(({ path }) => !isTestCode(path));

describe('the language of the project', () => {
  it('starts each comment with its subject or its verb', () => {
    expect(violations(({ text }) => commentsIn(text))).toEqual([]);
  });

  it('makes each title of a test a sentence', () => {
    expect(violations(({ tree }) => titlesIn(tree))).toEqual([]);
  });

  it('gives each exported type a unique name', () => {
    expect(sources.flatMap(({ tree }) => typesIn(tree.filter(isExport))).length).toBeGreaterThan(500);
    expect(sharedTypes(sources)).toEqual([]);
  });

  it('names types by nouns', () => {
    const participles = ({ tree }: Module) => typesIn(tree).filter((name) => PARTICIPLE.test(name));
    expect(violations(participles)).toEqual([]);
  });

  it('writes literals out', () => {
    expect(violations(({ text }) => text.match(SPREAD_LITERAL) ?? [])).toEqual([]);
  });
});

describe('the checks of the language', () => {
  it.each([
    ['/** ', 'What a call costs. */'],
    ['/**\n * ', 'Whether it is open.\n */'],
  ])('reject a comment that is %j and %j', (opening, rest) => {
    expect(commentsIn(opening + rest)).toHaveLength(1);
    expect(commentsIn(`${opening}Returns ${rest}`)).toEqual([]);
  });

  it.each(["it('is rejected', run);", "it.each(rows)('has %s', run);", "it('of a key costs nothing', run);"])(
    'reject the title in %s',
    (source) => {
      expect(titlesIn(parse(source))).toHaveLength(1);
      expect(titlesIn(parse(source.replace(/'\w+ /, "'returns ")))).toEqual([]);
    },
  );

  it('reject a type that two modules export, and names that end like an adjective', () => {
    const both = ['a.ts', 'b.ts'].map((path) => ({ path, tree: parse('export interface Answer {}') }));
    expect(sharedTypes(both)).toEqual(['Answer: a.ts, b.ts']);
    expect(sharedTypes(both.slice(1))).toEqual([]);
    expect(['Admitted', 'Known', 'UsageWanted', 'Hold'].filter((name) => PARTICIPLE.test(name))).toHaveLength(
      3,
    );
  });

  it.each([
    ['  ...{ a, b },', 1],
    ["  ...['a', 'b'],", 1],
    ['  ...rest,', 0],
    ['  ...[a, b].map(run),', 0],
  ])('count the literals that %j spreads', (line, count) => {
    expect(line.match(SPREAD_LITERAL) ?? []).toHaveLength(count);
  });
});
