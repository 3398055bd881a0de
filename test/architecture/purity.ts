import { describe, expect, it } from '@jest/globals';
import { sourceModules } from './source-tree.ts';
import {
  globalsOf,
  importsOf,
  isGlobal,
  memberName,
  parse,
  runningNodes,
  type SyntaxNode,
} from './syntax.ts';

/** The globals of JavaScript and the web platform that neither read nor change external state. */
const PURE_GLOBALS: ReadonlySet<string> = new Set([
  'undefined',
  'NaN',
  'Infinity',
  'Object',
  'Array',
  'String',
  'Number',
  'BigInt',
  'Boolean',
  'Symbol',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Promise',
  'JSON',
  'Math',
  'Date',
  'RegExp',
  'Intl',
  'Iterator',
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'AggregateError',
  'structuredClone',
  'Uint8Array',
  'ArrayBuffer',
  'DataView',
  'Buffer',
  'TextEncoder',
  'TextDecoder',
  'Blob',
  'FormData',
  'URL',
  'URLSearchParams',
  'Request',
  'Response',
  'Headers',
  'ReadableStream',
  'TransformStream',
  'AbortController',
  'AbortSignal',
  'encodeURIComponent',
  'decodeURIComponent',
  'atob',
  'btoa',
]);

/** Members of pure globals that read a clock or take a chance. */
const IMPURE_MEMBERS: ReadonlySet<string> = new Set(['Date.now', 'Math.random', 'AbortSignal.timeout']);

/** The exports of the pure packages that read a clock or generate random values. */
const IMPURE_IMPORTS: Readonly<Record<string, RegExp>> = {
  'node:crypto': /^(random|generate|getRandom|\*$|default$|webcrypto$)/,
  ulid: /^(ulid|monotonicFactory|detectPRNG|\*|default)$/,
};

/** Everything in a module by which the same input could give another output. */
function impurities(tree: readonly SyntaxNode[]): string[] {
  const globals = [...globalsOf(tree)].filter((name) => !PURE_GLOBALS.has(name));
  const imports = importsOf(tree).flatMap(({ specifier, names }) =>
    names.filter((name) => IMPURE_IMPORTS[specifier]?.test(name)).map((name) => `${name} of ${specifier}`),
  );
  return [...globals, ...imports, ...runningNodes(tree).flatMap((node) => impurity(node) ?? [])];
}

function impurity(node: SyntaxNode): string | undefined {
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type === 'MemberExpression') {
    const member = `${(node.object as SyntaxNode).value}.${memberName(node)}`;
    return isGlobal(node.object) && IMPURE_MEMBERS.has(member) ? member : undefined;
  }
  if (node.type === 'CallExpression') return isGlobal(node.callee, 'Date') ? 'Date()' : undefined;
  if (node.type !== 'NewExpression' || !isGlobal(node.callee, 'Date')) return undefined;
  return Array.isArray(node.arguments) && node.arguments.length > 0 ? undefined : 'new Date()';
}

const PURE =
  /^lambdas\/(\w+\/core|inference\/formats|platform\/contract)\/|\/(endpoint|consumer|routes|grants)\.ts$/;

const pureModules = sourceModules('lambdas').filter(({ path }) => PURE.test(path));

describe('the core, the contract and the endpoints', () => {
  it('access the clock, randomness, timers, the network and the environment only through their dependencies', () => {
    expect(pureModules.length).toBeGreaterThan(30);
    const impureUses = pureModules.flatMap(({ path, tree }) =>
      impurities(tree).map((what) => `${path}: ${what}`),
    );
    expect(impureUses).toEqual([]);
  });
});

describe('the check of purity', () => {
  it.each([
    ['fetch(url)', ['fetch']],
    ['const home = process.env.HOME;', ['process']],
    ['const at = Date.now();', ['Date.now']],
    ["const at = Date['now']();", ['Date.now']],
    ['const at = new Date();', ['new Date()']],
    ['const at = new Date;', ['new Date()']],
    ['const at = Date();', ['Date()']],
    ['const chance = Math.random();', ['Math.random']],
    ['setTimeout(() => {}, 1)', ['setTimeout']],
    ['globalThis.fetch(url)', ['globalThis', 'url'].slice(0, 1)],
    ['const at = performance.now();', ['performance']],
    ['console.log(1)', ['console']],
    ['const here = import.meta.dirname;', ['import.meta']],
    ['const late = AbortSignal.timeout(5);', ['AbortSignal.timeout']],
    ["import { randomBytes } from 'node:crypto';", ['randomBytes of node:crypto']],
    ["import { ulid } from 'ulid';", ['ulid of ulid']],
    ['const { env } = (process as NodeJS.Process);', ['process']],
  ])('detects the impurity of %s', (source, expected) => {
    const declared = `const url = 'https://example.com';\n${source}`;
    expect(impurities(parse(declared))).toEqual(expected);
  });

  it.each([
    'export const at = (clock: () => number) => new Date(clock());',
    'export const call = (fetch: (url: string) => void, Date: { now(): number }) => fetch(String(Date.now()));',
    'export type Fetch = typeof fetch;',
    'export const ports = { fetch: 1, process: 2 }; export const one = ports.fetch + ports.process;',
    "import { encodeTime } from 'ulid'; import { createHash } from 'node:crypto';",
  ])('lets pass %s', (source) => {
    expect(impurities(parse(source))).toEqual([]);
  });
});
