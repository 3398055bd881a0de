import { describe, expect, it } from '@jest/globals';
import { type Module, sourceModules } from './source-tree.ts';
import { nodes, parse, type SyntaxNode } from './syntax.ts';

/** Types whose arguments select members of another type: to name them there restates nothing. */
const SELECTIONS: ReadonlySet<string> = new Set(['Pick', 'Omit', 'Extract', 'Exclude']);

const isSelection = ({ type, typeName }: SyntaxNode): boolean =>
  type === 'TsTypeReference' && SELECTIONS.has(String((typeName as SyntaxNode).value));

const textOf = (node: unknown): string | undefined => {
  const { type, literal, value, expression } = (node ?? {}) as Record<string, unknown>;
  if (type === 'TsLiteralType') return textOf(literal);
  if (type === 'StringLiteral') return String(value);
  return type === undefined && expression !== undefined ? textOf(expression) : undefined;
};

const elementsOf = (node: SyntaxNode): readonly unknown[] => {
  if (node.type === 'ArrayExpression') return node.elements as readonly unknown[];
  if (node.type !== 'TsUnionType') return [];
  // `undefined` and `null` say that a member may be absent.
  return (node.types as readonly SyntaxNode[]).filter(({ type }) => type !== 'TsKeywordType');
};

/** Arrays in arrays are the pairs of a map. */
const pairsOf = (node: SyntaxNode): readonly unknown[] =>
  elementsOf(node).map((element) => (element as { readonly expression?: unknown } | null)?.expression);

/** Every set of two texts or more that a module spells out, as a union type or as an array, in one spelling. */
function setsOf(tree: readonly SyntaxNode[]): ReadonlySet<string> {
  const all = [...nodes(tree, (node) => !isSelection(node))];
  const pairs = new Set(all.flatMap(pairsOf));
  return new Set(
    all.flatMap((node) => {
      const strings = elementsOf(node).map(textOf);
      if (pairs.has(node) || strings.length < 2 || strings.includes(undefined)) return [];
      return [[...new Set(strings)].sort().join(' | ')];
    }),
  );
}

/** The sets that several modules spell out, with the modules. */
function restated(modules: readonly Pick<Module, 'path' | 'tree'>[]): string[] {
  const locations = new Map<string, string[]>();
  for (const { path, tree } of modules)
    for (const set of setsOf(tree)) locations.set(set, [...(locations.get(set) ?? []), path]);
  return [...locations]
    .filter(([, paths]) => paths.length > 1)
    .map(([set, paths]) => `${set}: ${paths.join(', ')}`);
}

describe('an enumeration', () => {
  it('appears in one module: a type is derived from it, and every check and codec uses it', () => {
    // A row of grants lists actions, and is no enumeration.
    const modules = sourceModules('lambdas', 'operator').filter(({ path }) => !path.endsWith('/grants.ts'));
    expect(modules.flatMap(({ tree }) => [...setsOf(tree)]).length).toBeGreaterThan(50);
    expect(restated(modules)).toEqual([]);
  });
});

describe('the check of enumerations', () => {
  const both = (one: string, other: string) =>
    restated([one, other].map((text, index) => ({ path: `${index}.ts`, tree: parse(text) })));

  it.each([
    ["type Unit = 'token' | 'image';", "const units = z.enum(['image', 'token']);"],
    [
      "export const UNITS = ['token', 'image'] as const;",
      "interface Call { unit?: 'token' | 'image' | undefined }",
    ],
    ["function of(): 'token' | 'image' {}", "type Unit = 'token' | 'image';"],
    ["call(['token', 'image']);", "const shown: Record<'token' | 'image', number> = {};"],
  ])('detects %s restated by %s', (one, other) => {
    expect(both(one, other)).toEqual(['image | token: 0.ts, 1.ts']);
  });

  it.each([
    ["type Unit = 'token' | 'image';", "type Unit = 'token' | 'second';"],
    ["type Names = Pick<Call, 'id' | 'unit'>;", "type Others = Omit<Call, 'unit' | 'id'>;"],
    ["new Map([['a', 'b'], ['c', 'd']]);", "new Map([['a', 'b']]);"],
    ["type One = 'token';", "const one = ['token'];"],
    ["type Unit = 'token' | 'image';", 'const units = z.enum(UNITS);'],
  ])('allows %s next to %s', (one, other) => {
    expect(both(one, other)).toEqual([]);
  });
});
