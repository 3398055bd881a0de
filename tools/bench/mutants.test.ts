import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { modulesIn } from '../../test/architecture/source-tree.ts';
import { parse } from '../../test/architecture/syntax.ts';
import { AREAS, areaOf } from './mutants/areas.ts';
import { candidatesIn } from './mutants/candidates.ts';
import { measureCoverage } from './mutants/coverage.ts';
import { charactersRun } from './mutants/coverage-reporter.ts';
import { equivalenceOf } from './mutants/known.ts';
import { mutantsOf, mutate } from './mutants/operators.ts';
import { TrialRecord } from './mutants/record.ts';
import { ImportGraph } from './mutants/related-tests.ts';
import { sample } from './mutants/sample.ts';
import { Trials } from './mutants/trial.ts';
import { WorkCopy } from './mutants/work-copy.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Every mistake that is made in a text: the operator, and the text with it. */
const mistakes = (text: string): string[] =>
  mutantsOf(text).map((mutant) => `${mutant.operator}: ${mutate(text, mutant)}`);

describe('the mistakes', () => {
  it.each([
    ['a < b;', ['comparison: a <= b;', 'comparison: a >= b;']],
    ['a >= b;', ['comparison: a > b;', 'comparison: a < b;']],
    ['a === b;', ['equality: a !== b;']],
    ['a && b;', ['logic: a || b;']],
    ['a ?? b;', ['default: (b);']],
    ['a + b;', ['arithmetic: a - b;']],
    ['a * b;', ['arithmetic: a / b;']],
    ['!a;', ['negation: a;']],
    ['true;', ['boolean: false;']],
    ['0;', ['constant: 1;']],
    ['1_000;', ['constant: 2000;']],
    ['1_000n;', ['constant: 1001n;']],
    ['a ? b : c;', ['condition: true ? b : c;', 'condition: false ? b : c;']],
    ['[a, ...b];', ['element: [ ...b];', 'element: [a, ];']],
    ['x = { a, ...b };', ['property: x = {  ...b };', 'property: x = { a,  };']],
    ["'a = :a AND b = :b';", ["clause: 'b = :b';", "clause: 'a = :a';"]],
    ['`${a} AND b`;', ['clause: `b`;', 'clause: `${a}`;']],
    ['Math.min(a, b);', ['method: Math.max(a, b);']],
    ['a.some(b);', ['method: a.every(b);']],
    ["'Grüße 🌍'; a < b;", ["comparison: 'Grüße 🌍'; a <= b;", "comparison: 'Grüße 🌍'; a >= b;"]],
  ])('change an expression: %s', (text, expected) => {
    // Leaving out the whole statement is the first mistake of each.
    expect(mistakes(text).filter((mistake) => !mistake.startsWith('statement'))).toEqual(expected);
  });

  it.each([
    ['await a();', ['statement: ;', 'await: a();']],
    ['if (a) b();', ['condition: if (true) b();', 'condition: if (false) b();', 'statement: if (a) ;']],
    [
      'function f() { a(); b(); }',
      ['body: function f() {}', 'statement: function f() { ; b(); }', 'statement: function f() { a(); ; }'],
    ],
    ['function f() { return a; }', []],
    ['const a: 1 = b as 1;', []],
    ['interface A { readonly a: true }', []],
    ["import { a } from './a.ts';", []],
    ["throw new Error('no AND, no 1');", []],
  ])('change a statement: %s', (text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it('preserve the syntax of every module of an area, for every twentieth mistake', () => {
    const modules = modulesIn('lambdas/webhooks/core', 'lambdas/inference/providers/openai');
    let count = 0;
    for (const { text } of modules)
      for (const mutant of mutantsOf(text).filter((_mutant, index) => index % 20 === 0)) {
        count += 1;
        expect(() => parse(mutate(text, mutant))).not.toThrow();
      }
    expect(count).toBeGreaterThan(100);
  });
});

describe('a sample', () => {
  const all = Array.from({ length: 1_000 }, (_, index) => index);
  const groupOf = (member: number) => (member < 10 ? 'small' : 'large');
  const by = { idOf: String, groupOf };

  it('equals another sample of the same seed, and differs for another seed', () => {
    const of = (seed: number) => sample(all, by, { seed, count: 50 });
    expect(of(1)).toEqual(of(1));
    expect(of(1)).not.toEqual(of(2));
    expect(new Set(of(1)).size).toBe(50);
  });

  it('preserves the order of its members if one of them is removed', () => {
    const [first, second, ...otherCandidates] = sample(all, by, { seed: 1, count: 50 });
    const leftover = sample(
      all.filter((member) => member !== second),
      by,
      { seed: 1, count: 48 },
    );
    expect(new Set([first, ...otherCandidates])).toEqual(
      new Set([...leftover, ...otherCandidates.slice(-1)]),
    );
  });

  it('contains the same number of each group, if the group is large enough', () => {
    const sampled = sample(all, by, { seed: 1, count: 50 });
    expect(sampled.filter((member) => groupOf(member) === 'small')).toHaveLength(10);
  });
});

describe('the areas', () => {
  it('name paths that hold modules, each in one area', () => {
    const paths = modulesIn('lambdas', 'lib').map(({ path }) => path);
    for (const { name, paths: prefixes } of AREAS)
      for (const prefix of prefixes)
        expect([name, prefix, paths.some((path) => path.startsWith(prefix))]).toEqual([name, prefix, true]);
    expect(areaOf('lambdas/platform/core/money.ts')?.name).toBe('money');
    expect(areaOf('lambdas/platform/http/envelope.ts')).toBeUndefined();
  });

  it('leave tables out that a bench generates', () => {
    const folder = 'lambdas/inference/core/metering/';
    const paths = candidatesIn(ROOT, [`${folder}token-table.ts`, `${folder}meter.ts`], []).map(
      ({ path }) => path,
    );
    expect(new Set(paths)).toEqual(new Set([`${folder}meter.ts`]));
  });

  it('leave out a database action of a grant, and nothing else of the grants', () => {
    const [paths, action] = [['lib/config/grants.ts', 'lambdas/access/grants.ts'], /^'(GetItem|Query|Scan)'/];
    const drawn = candidatesIn(ROOT, paths, []);
    expect(new Set(drawn.map(({ path }) => path))).toEqual(new Set(paths));
    expect(drawn.filter(({ operator, original }) => operator === 'element' && action.test(original))).toEqual(
      [],
    );
    expect(
      drawn.some(({ operator, original }) => operator === 'property' && original.includes('GetItem')),
    ).toBe(true);
  });
});

describe('an equivalent mutant', () => {
  it('stays out of the candidates on its line, and nowhere else', () => {
    const path = 'lambdas/inference/core/metering/token-bound.ts';
    const text = 'const previous = start > 0 ? text.charCodeAt(start - 1) : 0;';
    const equivalents = (line: string) =>
      mutantsOf(line).filter((mutant) => equivalenceOf(path, line, mutant));
    expect(equivalents(text).length).toBeGreaterThan(0);
    expect(equivalents(text.replace('previous', 'last'))).toEqual([]);
    const drawn = candidatesIn(ROOT, [path], []).length;
    expect(drawn).toBeGreaterThan(100);
    expect(drawn).toBeLessThan(mutantsOf(readFileSync(join(ROOT, path), 'utf8')).length);
  });
});

describe('the characters of a module that ran', () => {
  it('belong to a counted range and to no uncounted range within it', () => {
    const range = (startOffset: number, endOffset: number, count: number) => ({
      startOffset,
      endOffset,
      count,
    });
    const ran = charactersRun(8, [
      { ranges: [range(0, 8, 1)] },
      { ranges: [range(1, 7, 0)] },
      { ranges: [range(2, 6, 3), range(3, 4, 0)] },
    ]);
    expect(ran.join('')).toBe('10101101');
  });
});

describe('a trial', () => {
  const root = mkdtempSync(join(tmpdir(), 'mutants-fixture-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('shows a mistake to the tests that import its module: caught, missed or endless', async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    const ring = {
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      extensionsToTreatAsEsm: ['.ts'],
      transform: {
        '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
      },
    };
    const files: Readonly<Record<string, string>> = {
      'package.json': '{ "type": "module" }',
      'jest.config.json': JSON.stringify({ watchman: false, projects: [ring] }),
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "noEmit": true, "allowImportingTsExtensions": true }, "include": ["source"] }',
      'source/sum.ts':
        'export const sum = (a: number, b: number): number => a + b;\nexport const spare = (a: number): number => a - 1;\nexport function count(to: number): number {\n  let at = 0;\n  while (at < to) at += 1;\n  return at;\n}\n',
      'source/total.ts': "export { sum as total } from './sum.ts';\n",
      'test/total.test.ts':
        "import { expect, it } from '@jest/globals';\nimport { total } from '../source/total.ts';\nimport { count } from '../source/sum.ts';\nit('is the sum of both', () => {\n  expect(total(2, 3)).toBe(5);\n  expect(count(3)).toBe(3);\n});\n",
      'test/other.test.ts': "import { it } from '@jest/globals';\nit('imports nothing', () => {});\n",
      'test/red.test.ts':
        "import { expect, it } from '@jest/globals';\nimport { sum } from '../source/sum.ts';\nit('fails', () => {\n  expect(sum(1, 1)).toBe(3);\n});\n",
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const paths = Object.keys(files).filter((path) => path.endsWith('.ts'));
    const graph = new ImportGraph(root, paths);
    expect(graph.testsOf('source/sum.ts').toSorted()).toEqual(['test/red.test.ts', 'test/total.test.ts']);

    const copy = new WorkCopy(root);
    try {
      const tests = await copy.testsOf('unit');
      expect(new Set(tests)).toEqual(
        new Set(['test/total.test.ts', 'test/other.test.ts', 'test/red.test.ts']),
      );
      const ringOf = new Map(tests.map((test) => [test, 'unit']));
      const file = join(root, 'coverage.jsonl');
      const options = { file, modules: ['source/sum.ts'], workers: 1 };
      const print = jest.spyOn(console, 'log').mockImplementation(() => {});
      const coverage = await measureCoverage(copy, graph, ringOf, options);
      expect(print.mock.calls).toEqual([
        ['3 test files of the unit ring without a mutant'],
        ['Left out, since it fails without a mutant: test/red.test.ts'],
      ]);
      print.mockRestore();
      expect(coverage.test('test/red.test.ts')).toBeUndefined();
      expect(coverage.testsThatRun('source/sum.ts', 6)).toContain('test/total.test.ts');
      const original = readFileSync(file, 'utf8');
      await measureCoverage(copy, graph, new Map([['test/total.test.ts', 'unit']]), options);
      expect(readFileSync(file, 'utf8')).toBe(original);

      const record = new TrialRecord(join(root, 'trials.jsonl'));
      const trials = new Trials(copy, { graph, coverage, record, spareSeconds: 0.5 });
      const candidates = candidatesIn(root, ['source/sum.ts'], ['source/']);
      const verdictOf = async (line: number, replacement: string) => {
        const mutant = candidates.find((one) => one.line === line && one.replacement === replacement);
        if (mutant === undefined) throw new Error(`there is no such mistake in line ${line}`);
        const { verdict, by } = record.keep(await trials.runTrial(mutant));
        return [verdict, by];
      };
      const text = copy.read('source/sum.ts');
      expect(await verdictOf(1, '-')).toEqual(['killed', 'test/total.test.ts: is the sum of both']);
      expect(await verdictOf(2, '+')).toEqual(['survived', undefined]);
      expect(await verdictOf(5, ';')).toEqual(['killed', 'the limit of time']);
      expect(copy.read('source/sum.ts')).toBe(text);

      const continued = new TrialRecord(join(root, 'trials.jsonl'));
      const equivalents = candidates.filter(({ id }) => continued.lastOf(id) !== undefined);
      expect(equivalents.map(({ line }) => line)).toEqual([1, 2, 5]);
      expect(continued.killersOf('source/sum.ts')).toEqual(new Map([['test/total.test.ts', 1]]));
    } finally {
      copy.remove();
    }
  });
});
