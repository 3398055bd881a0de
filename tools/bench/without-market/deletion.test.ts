import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stayingFiles, withoutMarket } from './copy.ts';
import { EDITS, REMOVED } from './deletion.ts';

const isRemoved = (path: string): boolean =>
  REMOVED.some((removed) => path === removed || path.startsWith(`${removed}/`));

const modules = stayingFiles().filter((path) => /\.tsx?$/.test(path));

/** The removed modules that a module imports after the deletion. */
const leftImports = (path: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
    .map(([, specifier = '']) => posix.join(posix.dirname(path), specifier))
    .filter(isRemoved);

describe('the deletion of the market', () => {
  it('finds each of its registrations, and leaves no import of what it removes', () => {
    const left = modules.flatMap((path) =>
      leftImports(path, withoutMarket(path, readFileSync(path, 'utf8'))).map(
        (target) => `${path} -> ${target}`,
      ),
    );
    expect(left).toEqual([]);
    expect(EDITS.filter(([path]) => !modules.includes(path))).toEqual([]);
  });

  it('detects an import that nobody has registered', () => {
    const text = "import { x } from '../marketplace/core/listings/listing.ts';";
    expect(leftImports('lambdas/ledger/a.ts', text)).toEqual([
      'lambdas/marketplace/core/listings/listing.ts',
    ]);
  });
});
