import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { reachOf } from './reach.ts';

const STARTERS = ['local/functions/function-process.ts'];
const reached = (...changed: string[]) => {
  const reach = reachOf(changed, STARTERS);
  if (reach === 'everything') throw new Error('the change reaches everything');
  return reach;
};

describe('reachOf', () => {
  it('returns a changed module, whose importers are reached', () => {
    expect(reached('bench/run.ts').modules).toEqual(['bench/run.ts']);
  });

  it.each(['lambdas/core/money.ts', 'lib/app.ts', 'local/start.ts', 'simulators/models/main.ts'])(
    'adds the modules that start processes if a process may load %s',
    (path) => expect(reached(path).modules).toEqual([path, ...STARTERS]),
  );

  it.each(['console/src/main.tsx', 'operator/admin.ts', 'docs/operate.md', 'test/edge/router.test.ts'])(
    'leaves out the modules that start processes if no process loads %s',
    (path) => expect(reached(path).modules).not.toContain(STARTERS[0]),
  );

  it.each([
    ['lambdas/core/money.ts', 'test/lib/'],
    ['lib/config/grants.ts', 'test/lib/'],
    ['console/src/main.tsx', 'test/lib/bundle'],
    ['operator/admin.ts', 'test/system/'],
    ['catalogs/bedrock.json', 'test/catalogs/'],
    ['test/providers/anthropic/recorded/text.sse', 'test/providers/anthropic/'],
  ])('adds the tests that read %s without an import: %s', (path, tests) =>
    expect(reached(path).tests).toContain(tests),
  );

  it('adds the tests of the whole tree and of the docs to any change', () => {
    for (const path of ['README.md', 'docs/local.md', 'bench/run.ts'])
      expect(reached(path).tests).toEqual(['test/architecture/', 'test/docs/']);
  });

  it.each(['package.json', 'package-lock.json', 'jest.config.js', '.ci/run', 'bin/app.ts'])(
    'returns everything if %s changed, with a known file next to it too',
    (path) => {
      expect(reachOf([path], STARTERS)).toBe('everything');
      expect(reachOf(['README.md', path, 'bench/run.ts'], STARTERS)).toBe('everything');
    },
  );

  it('knows every folder of the repository in which there are modules, except small ones', () => {
    const modules = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], {
      cwd: join(import.meta.dirname, '..'),
      encoding: 'utf8',
    });
    const folders = new Set(
      modules
        .trim()
        .split('\n')
        .map((path) => path.split('/')[0] ?? ''),
    );
    const unknown = [...folders].filter((folder) => reachOf([`${folder}/x.ts`], STARTERS) === 'everything');
    expect(unknown).toEqual(['bin']);
  });
});
