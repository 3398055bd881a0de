import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { reachedTests } from './reach.ts';

const FILES = new Map([
  ['lambdas/platform/core/money.ts', ''],
  ['lambdas/core/price.ts', "import { sum } from './money.ts';"],
  ['lambdas/endpoints/pay.ts', "import { price } from '../core/price.ts';"],
  ['bin/app.ts', ''],
  ['tools/local/start.ts', "run(join(root, 'bin', 'app.ts'));"],
  ['lib/workflow.ts', "read(join(import.meta.dirname, 'workflow.json'));"],
  ['lib/workflow.json', ''],
  ['test/price.test.ts', "import { price } from '../lambdas/core/price.ts';"],
  ['test/other.test.ts', "import { expect } from '@jest/globals';"],
  ['test/workflow.test.ts', "await import('../lib/workflow.ts');"],
  ['test/providers/recorded/text.sse', ''],
  ['test/providers/text.test.ts', ''],
  ['test/system/service.ts', "spawn(process.execPath, ['tools/local/start.ts']);"],
  ['test/system/pay.test.ts', "import { service } from './service.ts';"],
  ['test/docs/pages.test.ts', ''],
]);
const ALWAYS = 'test/docs/pages.test.ts';

describe('reachedTests', () => {
  it.each([
    ['lambdas/platform/core/money.ts', ['test/price.test.ts', 'test/system/pay.test.ts']],
    ['lambdas/endpoints/pay.ts', ['test/system/pay.test.ts']],
    ['tools/local/start.ts', ['test/system/pay.test.ts']],
    ['lib/workflow.json', ['test/workflow.test.ts']],
    ['test/providers/recorded/text.sse', ['test/providers/text.test.ts']],
    ['test/other.test.ts', ['test/other.test.ts']],
    ['README.md', []],
    ['lambdas/core/deleted.ts', []],
  ])('returns the tests that refer to %s, directly or not, and the tests of the whole tree', (path, tests) =>
    expect(reachedTests([path], FILES)).toEqual([...tests, ALWAYS]),
  );

  it.each(['package.json', 'package-lock.json', 'jest.config.js', '.ci/run', 'bin/app.ts'])(
    'returns everything if %s changed, with a known file next to it too',
    (path) => expect(reachedTests(['README.md', path, 'lib/workflow.ts'], FILES)).toBe('everything'),
  );

  it('knows every folder of the repository in which there are modules, except small ones', () => {
    const modules = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const folders = new Set(modules.map((path) => path.split('/')[0] ?? ''));
    const unknown = [...folders].filter(
      (folder) => reachedTests([`${folder}/x.ts`], new Map()) === 'everything',
    );
    expect(unknown).toEqual(['bin']);
  });
});
