import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const pages = globSync(['{.,console,operator,tools/*}/*.md', '{docs,examples,lib}/**/*.md'], { cwd: root });

/** Files that a page names: `folder/file.ts`, from the repository's root or the page's folder. */
const namedIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([a-z][\w./-]*\/[\w.-]+\.(?:ts|md|json|js))`/g)].map(([, path = '']) => path);

describe('the pages', () => {
  it('name only files that exist', () => {
    const named = pages.flatMap((page) =>
      namedIn(readFileSync(join(root, page), 'utf8')).map((path) => [page, path] as const),
    );
    expect(named.length).toBeGreaterThan(50);
    const missing = named.filter(
      ([page, path]) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(page), path)),
    );
    expect(missing).toEqual([]);
  });
});
