import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { QUIRKS } from '../../tools/simulators/models/hosts/quirks.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'local.md'), 'utf8');

describe('docs/local.md', () => {
  it('names every quirk of the simulated hosts, and no other', () => {
    const section = page.slice(page.indexOf('| A host | Quirks |'));
    const named = [...section.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual([...QUIRKS].sort());
  });
});
