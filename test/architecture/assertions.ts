import { describe, expect, it } from '@jest/globals';
import { modulesIn, SOURCE_FOLDERS } from './source-tree.ts';
import { isIdentifier, memberName, nodes, parse, type SyntaxNode } from './syntax.ts';

const child = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node[field] as SyntaxNode | undefined;

/** The matchers and modifiers after `expect(...)`, in their order; undefined for what does not begin so. */
function chainOf(node: SyntaxNode): readonly string[] | undefined {
  if (node.type === 'MemberExpression') {
    const before = child(node, 'object');
    const names = before === undefined ? undefined : chainOf(before);
    return names === undefined ? undefined : [...names, memberName(node) ?? ''];
  }
  const callee = node.type === 'CallExpression' ? child(node, 'callee') : undefined;
  if (callee === undefined) return undefined;
  return isIdentifier(callee, 'expect') ? [] : chainOf(callee);
}

const subjectOf = (node: SyntaxNode): SyntaxNode | undefined => {
  const callee = child(node, 'callee');
  if (callee === undefined) return child(node, 'object') && subjectOf(child(node, 'object') as SyntaxNode);
  if (!isIdentifier(callee, 'expect')) return subjectOf(callee);
  const [first] = node.arguments as readonly { readonly expression: SyntaxNode }[];
  return first?.expression;
};

/** Returns why an assertion that is a whole statement can never fail; undefined if it can fail. */
function idleness(statement: SyntaxNode): string | undefined {
  const expression = child(statement, 'expression');
  const chain = expression === undefined ? undefined : chainOf(expression);
  if (expression === undefined || chain === undefined) return undefined;
  if (chain.length === 0) return 'has no matcher';
  if (expression.type !== 'CallExpression') return 'does not call its matcher';
  if (chain[0] === 'rejects' || chain[0] === 'resolves') return 'is not awaited';
  const isAbsent = chain.length === 1 && chain[0] === 'toBeUndefined';
  if (isAbsent && subjectOf(expression)?.type === 'OptionalChainingExpression')
    return 'holds for what is not there at all';
  return undefined;
}

const idle = (tree: readonly SyntaxNode[]): string[] =>
  nodes(tree)
    .filter(({ type }) => type === 'ExpressionStatement')
    .flatMap((statement) => idleness(statement) ?? []);

describe('an assertion', () => {
  it('consists of a matcher call that can fail, in every test', () => {
    const modules = modulesIn(...SOURCE_FOLDERS, 'test').filter(({ path }) => path.endsWith('.test.ts'));
    expect(modules.length).toBeGreaterThan(150);
    const idleAssertions = modules.flatMap(({ path, tree }) =>
      idle(tree).map((reason) => `${path}: ${reason}`),
    );
    expect(idleAssertions).toEqual([]);
  });
});

describe('the check of assertions', () => {
  it.each([
    ['expect(a);', 'has no matcher'],
    ['expect(a).toBe;', 'does not call its matcher'],
    ['expect(a).not.toBe;', 'does not call its matcher'],
    ['expect(a).rejects.toThrow();', 'is not awaited'],
    ['expect(a).resolves.not.toBe(1);', 'is not awaited'],
    ['expect(a?.b).toBeUndefined();', 'holds for what is not there at all'],
  ])('rejects %s', (source, reason) => {
    expect(idle(parse(source))).toEqual([reason]);
  });

  it.each([
    'expect(a).toBe(1);',
    'expect(a).not.toBe(1);',
    'await expect(a).rejects.toThrow();',
    'const failed = expect(a).rejects.toThrow();',
    'expect(a.b).toBeUndefined();',
    'expect(a?.b).toBe(1);',
    'expectations(a);',
  ])('accepts %s', (source) => {
    expect(idle(parse(source))).toEqual([]);
  });
});
