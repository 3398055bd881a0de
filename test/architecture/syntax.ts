/** TypeScript modules as syntax trees (swc), and what the rules ask of them: imports, globals, nodes of a kind. */
import { parseSync } from '@swc/core';

export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Import {
  readonly specifier: string;
  /** Erased before the module runs. */
  readonly typeOnly: boolean;
  /** The exported names that a static import uses; `*` for a namespace. */
  readonly names: readonly string[];
}

/** `tsx`: with elements of React in it. */
export const parse = (text: string, tsx = false): readonly SyntaxNode[] =>
  parseSync(text, { syntax: 'typescript', tsx, target: 'es2024' }).body as unknown as readonly SyntaxNode[];

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

// In jest a global is looked up through the test's context, which costs more than the call.
const { isArray } = Array;
const { values } = Object;

/** Every node of a tree, parents first; a subtree is left out when `enter` refuses its root. */
export function nodes(
  tree: unknown,
  enter: (node: SyntaxNode) => boolean = () => true,
  matches: SyntaxNode[] = [],
): readonly SyntaxNode[] {
  if (isArray(tree)) {
    for (const element of tree) nodes(element, enter, matches);
  } else if (typeof tree === 'object' && tree !== null) {
    if (isNode(tree)) {
      if (!enter(tree)) return matches;
      matches.push(tree);
    }
    for (const value of values(tree)) if (typeof value === 'object') nodes(value, enter, matches);
  }
  return matches;
}

/** TypeScript's wrappers around an expression, as in `x as T`; every other `Ts` node is erased. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'TsAsExpression',
  'TsConstAssertion',
  'TsInstantiation',
  'TsNonNullExpression',
  'TsSatisfiesExpression',
  'TsTypeAssertion',
]);

const runs = (node: SyntaxNode): boolean => !node.type.startsWith('Ts') || WRAPPERS.has(node.type);

/** The nodes that exist when the module runs: no types. */
export const runningNodes = (tree: unknown): readonly SyntaxNode[] => nodes(tree, runs);

export const isIdentifier = (node: unknown, name?: string): boolean =>
  isNode(node) && node.type === 'Identifier' && (name === undefined || node.value === name);

/** swc's scope of names that the module neither declares nor imports. */
const UNRESOLVED = 1;

export const isGlobal = (node: unknown, name?: string): boolean =>
  isIdentifier(node, name) && (node as SyntaxNode).ctxt === UNRESOLVED;

/** The globals that the module uses when it runs. */
export function globalsOf(tree: unknown): ReadonlySet<string> {
  const names = runningNodes(tree)
    .filter((node) => isGlobal(node))
    .map((node) => String(node.value));
  return new Set(names);
}

/** The name that a member expression ends in: `b` of `a.b` and of `a['b']`. */
export function memberName({ property }: SyntaxNode): string | undefined {
  if (!isNode(property)) return undefined;
  if (property.type === 'Identifier') return String(property.value);
  const { expression } = property;
  return isNode(expression) && expression.type === 'StringLiteral' ? String(expression.value) : undefined;
}

const literal = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'StringLiteral' ? String(node.value) : undefined;

/** Static and dynamic imports, re-exports, `require` and `import('...')` types. */
export function importsOf(tree: unknown): readonly Import[] {
  return nodes(tree).flatMap((node): Import[] => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return [];
    const typeOnly = node.typeOnly === true || node.type === 'TsImportType';
    return [{ specifier, typeOnly, names: namesOf(node) }];
  });
}

function specifierOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return literal(node.source);
    case 'TsImportType':
      return literal(node.argument);
    case 'CallExpression': {
      const { callee } = node as { callee?: SyntaxNode };
      if (callee?.type !== 'Import' && !isIdentifier(callee, 'require')) return undefined;
      const [first] = node.arguments as readonly { readonly expression: SyntaxNode }[];
      return literal(first?.expression) ?? '(computed)';
    }
    default:
      return undefined;
  }
}

function namesOf(node: SyntaxNode): string[] {
  if (!Array.isArray(node.specifiers)) return ['*'];
  return (node.specifiers as SyntaxNode[]).map((specifier) => {
    if (specifier.type === 'ImportNamespaceSpecifier') return '*';
    if (specifier.type === 'ImportDefaultSpecifier') return 'default';
    const name = specifier.imported ?? specifier.orig ?? specifier.local;
    return isNode(name) ? String(name.value) : '*';
  });
}
