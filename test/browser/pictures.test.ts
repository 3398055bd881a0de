import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { consoleHash, PICTURES } from './pictures.ts';

describe('the pictures of the README', () => {
  it('show the console of this commit: `npm run pictures` takes them', () => {
    expect(readFileSync(join(PICTURES, 'console.txt'), 'utf8')).toBe(`${consoleHash()}\n`);
  });

  it('stay below 150 KB each', () => {
    const pictures = readdirSync(PICTURES).filter((name) => name.endsWith('.png'));
    expect(pictures.sort()).toEqual(['home.png', 'receipt.png']);
    for (const name of pictures) expect(statSync(join(PICTURES, name)).size).toBeLessThan(150_000);
  });
});
