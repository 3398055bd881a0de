import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MEASURED_CODE, sampleOf, staleness, statementsOf } from './measured-code.ts';

const root = mkdtempSync(join(tmpdir(), 'measured-code-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(path: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), lines.join('\n'));
}

const statements = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `console.log('statement ${from + index}');`);

const ENTRY_POINTS = { handler: 'handler.ts' };
const check = (code?: Parameters<typeof staleness>[0]['code']) =>
  staleness({ bench: 'sample', date: '2026-07-15', ...(code && { code }) }, ENTRY_POINTS, root);

describe('a result', () => {
  beforeEach(() => {
    write('handler.ts', "import './part.ts';", ...statements(500));
    write('part.ts', ...statements(500, 500));
  });

  const measure = async () => ({ handler: sampleOf(await statementsOf('handler.ts', root)) });

  it.each([
    ['nothing', () => {}],
    [
      'comments, types and formatting',
      () =>
        write('part.ts', '/** A. */', 'type A = 1;', ...statements(500, 500).map((text) => `  ${text} // B`)),
    ],
    [
      'the path of a module',
      () => {
        write('handler.ts', "import './moved/part.ts';", ...statements(500));
        write('moved/part.ts', ...statements(500, 500));
      },
    ],
    [
      'a tenth of an imported module',
      () => write('part.ts', ...statements(50, 9_000), ...statements(450, 550)),
    ],
  ])('stays fresh if %s changes', async (_change, change) => {
    const code = await measure();
    change();
    expect(await check(code)).toBeUndefined();
  });

  it.each([
    ['are replaced', () => write('part.ts', ...statements(500, 9_000))],
    ['are removed', () => write('part.ts')],
    ['are added', () => write('part.ts', ...statements(1_000, 500))],
  ])('becomes stale and names its bench if half of the statements of its code %s', async (_case, change) => {
    const code = await measure();
    change();
    expect(await check(code)).toMatch(
      /^sample: (4\d|5\d) % of "handler" has changed since 2026-07-15: npm run bench -- sample$/,
    );
  });

  it('counts as stale if it has no sample of the code', async () => {
    expect(await check()).toBe(
      'sample: an unknown share of "handler" has changed since 2026-07-15: npm run bench -- sample',
    );
  });
});

it('each bench lists only code that exists', () => {
  const entryPoints = Object.values(MEASURED_CODE).flatMap((parts) => Object.values(parts));
  expect(entryPoints.filter((path) => !existsSync(path))).toEqual([]);
});
