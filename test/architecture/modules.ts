import { describe, expect, it } from '@jest/globals';
import { type Module, sourceModules } from './source-tree.ts';
import { isGlobal, nodes, parse, runningNodes, type SyntaxNode } from './syntax.ts';

const MAX_MODULE_LINES = 300;

/** The aim is 3, then one options object; a fourth is for what the function acts on. */
const MAX_PARAMETERS = 4;

const modules = sourceModules();
const typed = sourceModules('bin', 'lib', 'lambdas');

const violations = (
  checkedModules: readonly Module[],
  check: (module: Module) => readonly string[],
): string[] => checkedModules.flatMap((module) => check(module).map((what) => `${module.path}: ${what}`));

const lines = ({ text }: Pick<Module, 'text'>): number => text.trimEnd().split('\n').length;

const headOf = (text: string): readonly string[] =>
  /^\/\*\*\s+(\* )?[^\s*]/.test(text) ? [] : ['no doc comment at its head'];

/** Escapes from the type checker, and the default exports that hide a thing's name. */
function escapes(tree: readonly SyntaxNode[]): string[] {
  return nodes(tree).flatMap(({ type, kind }) => {
    if (type === 'TsKeywordType' && kind === 'any') return ['any'];
    if (type === 'TsNonNullExpression') return ['non-null assertion'];
    if (type === 'ExportDefaultDeclaration' || type === 'ExportDefaultExpression') return ['default export'];
    return [];
  });
}

const logs = (tree: readonly SyntaxNode[]): string[] =>
  runningNodes(tree)
    .filter((node) => isGlobal(node, 'console'))
    .map(() => 'console');

const FUNCTIONS = /^(Function|Arrow|Class|Private)|^(Constructor|MethodProperty)$/;

/** The name of the function, as far as it has one where it stands. */
const nameOf = ({ identifier, key }: SyntaxNode): string => {
  const named = (identifier ?? key) as {
    readonly value?: unknown;
    readonly id?: { readonly value?: unknown };
  } | null;
  return String(named?.value ?? named?.id?.value ?? 'a function');
};

/** Functions that take too many parameters. */
function overloaded(tree: readonly SyntaxNode[]): string[] {
  return nodes(tree)
    .filter(({ type }) => FUNCTIONS.test(type))
    .flatMap((node) => {
      const parameters = node.params ?? (node.function as SyntaxNode | undefined)?.params;
      const count = Array.isArray(parameters) ? parameters.length : 0;
      return count > MAX_PARAMETERS ? [`${nameOf(node)} takes ${count} parameters`] : [];
    });
}

describe('a module', () => {
  it('stays within its size', () => {
    const long = (module: Module) =>
      lines(module) > MAX_MODULE_LINES ? [`${lines(module)} lines, more than ${MAX_MODULE_LINES}`] : [];
    expect(violations(modules, long)).toEqual([]);
  });

  it('states its purpose at its head', () => {
    expect(violations(modules, ({ text }) => headOf(text))).toEqual([]);
  });

  it('neither escapes the type checker nor exports without a name', () => {
    expect(violations(modules, ({ tree }) => escapes(tree))).toEqual([]);
  });

  it('contains no function with more than four parameters', () => {
    expect(violations(modules, ({ tree }) => overloaded(tree))).toEqual([]);
  });

  it('writes to the log and never to the console if it belongs to the service', () => {
    expect(violations(typed, ({ tree }) => logs(tree))).toEqual([]);
  });
});

describe('the rules', () => {
  it('share one tree of each module', () => {
    expect(sourceModules('bin')).toEqual(modules.filter(({ path }) => path.startsWith('bin/')));
    for (const module of sourceModules('bin')) expect(modules).toContain(module);
  });
});

describe('the checks of modules', () => {
  it.each([
    ['any', 'export const f = (x: any) => x;'],
    ['any', 'export type T = Record<string, any>;'],
    ['non-null assertion', 'export const f = (x?: string) => x!.length;'],
    ['default export', 'export default 1;'],
    ['default export', 'export default function f() {}'],
  ])('detect %s in %s', (what, source) => {
    expect(escapes(parse(source))).toEqual([what]);
  });

  it.each([
    'export function f(a: 1, b: 2, c: 3, d: 4, e: 5) {}',
    'export const f = (a: 1, b: 2, c: 3, d: 4, e: 5) => {};',
    'export class C { constructor(a: 1, b: 2, c: 3, d: 4, e: 5) {} }',
    'export class C { #m(a: 1, b: 2, c: 3, d: 4, e: 5) {} }',
    'export class C { m(a: 1, b: 2, c: 3, d: 4, e: 5) {} }',
  ])('detect too many parameters in %s', (source) => {
    expect(overloaded(parse(source))).toEqual([expect.stringMatching(/takes 5 parameters$/)]);
  });

  it('detect an import of the console, and a module without a header comment', () => {
    expect(logs(parse('console.error(1)'))).toEqual(['console']);
    expect(headOf("import 'x';\n/** Late. */")).toHaveLength(1);
    expect(headOf('/** */\n')).toHaveLength(1);
    expect(headOf('/** Reason. */\n')).toHaveLength(0);
    expect(headOf('/**\n * Reason.\n */\n')).toHaveLength(0);
  });
});
