import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { reachedTests } from './reach.ts';

const FILES = new Map([
  ['lambdas/ledger/core/money.ts', ''],
  ['lambdas/ledger/core/price.ts', "import { sum } from './money.ts';"],
  ['lambdas/ledger/core/price.test.ts', "import { price } from './price.ts';"],
  ['lambdas/ledger/endpoints/pay/handler.ts', `import { price } from '${'../'.repeat(2)}core/price.ts';`],
  ['lambdas/ledger/testing/recorded/text.sse', ''],
  ['bin/app.ts', ''],
  ['tools/local/start.ts', "run(join(root, 'bin', 'app.ts'));"],
  ['lib/workflow.ts', "read(join(import.meta.dirname, 'workflow.json'));"],
  ['lib/workflow.json', ''],
  ['lib/workflow.test.ts', "await import('./workflow.ts');"],
  ['operator/other.test.ts', "import { expect } from '@jest/globals';"],
  ['test/endpoints/recorded/text.sse', ''],
  ['test/endpoints/text.test.ts', ''],
  ['test/system/examples.test.ts', ''],
  ['test/system/market-examples.test.ts', ''],
  ['test/system/service.ts', "spawn(process.execPath, ['tools/local/start.ts']);"],
  ['test/system/kills.test.ts', "import { service } from './service.ts';"],
  ['test/system/webhooks.test.ts', "import { service } from './service.ts';"],
  ['test/docs/pages.test.ts', ''],
]);
const ALWAYS = 'test/docs/pages.test.ts';

describe('the selection of tests for a change', () => {
  it.each([
    ['lambdas/ledger/core/money.ts', ['lambdas/ledger/core/price.test.ts', 'test/system/kills.test.ts']],
    ['lambdas/ledger/endpoints/pay/handler.ts', ['test/system/kills.test.ts']],
    ['lambdas/ledger/testing/recorded/text.sse', ['lambdas/ledger/core/price.test.ts']],
    ['tools/local/start.ts', ['test/system/kills.test.ts', 'test/system/webhooks.test.ts']],
    ['test/system/webhooks.test.ts', ['test/system/webhooks.test.ts']],
    ['lib/workflow.json', ['lib/workflow.test.ts']],
    ['test/endpoints/recorded/text.sse', ['test/endpoints/text.test.ts']],
    ['operator/other.test.ts', ['operator/other.test.ts']],
    [
      'examples/openai-node/index.mjs',
      ['test/system/examples.test.ts', 'test/system/market-examples.test.ts'],
    ],
    ['README.md', []],
    ['lambdas/ledger/core/deleted.ts', []],
  ])('returns the tests that refer to %s, directly or not, and the tests of the whole tree', (path, tests) =>
    expect(reachedTests([path], FILES)).toEqual([...tests, ALWAYS]),
  );

  it.each(['package.json', 'package-lock.json', 'jest.config.js', '.ci/run', 'bin/app.ts'])(
    'returns everything if %s changed, with a known file next to it too',
    (path) => expect(reachedTests(['README.md', path, 'lib/workflow.ts'], FILES)).toBe('everything'),
  );

  it('returns the tests of the whole service for two changed contexts, and all of them if another file changed too', () => {
    const ledger = 'lambdas/ledger/core/money.ts';
    const system = (...changed: string[]) =>
      [...reachedTests(changed, FILES)].filter((path) => path.startsWith('test/system/'));
    const all = ['test/system/kills.test.ts', 'test/system/webhooks.test.ts'];
    expect(system(ledger)).toEqual(all.slice(0, 1));
    expect(system(ledger, 'lambdas/webhooks/core/event.ts', 'README.md')).toEqual(all);
    expect(system(ledger, 'tools/local/start.ts')).toEqual(all);
  });

  it('contains only tests that exist', () => {
    const listed = execFileSync('git', ['ls-files', 'test/system/*.test.ts'], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const contexts = execFileSync('git', ['ls-files', 'lambdas'], { encoding: 'utf8' }).trim().split('\n');
    const files = new Map([...listed, ...contexts].map((path) => [path, '']));
    for (const context of new Set(contexts.map((path) => path.split('/')[1] ?? ''))) {
      const changed = `lambdas/${context}/x.ts`;
      const sources = new Map([...files, [changed, '']]);
      for (const path of listed) sources.set(path, `read('${changed}');`);
      expect([context, reachedTests([changed], sources)]).not.toEqual([context, []]);
    }
  });

  it('covers every folder of the repository that contains modules, except small ones', () => {
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
