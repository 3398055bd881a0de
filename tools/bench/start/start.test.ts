import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { copySources, secondsToReady } from './bench.ts';

it('the bench of starts measures a service in a copy of the sources', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  try {
    const checkout = await copySources(folder);
    // What this checkout has built is that of the same sources.
    await symlink(join(import.meta.dirname, '..', '..', '..', '.build'), join(checkout, '.build'));
    expect(await secondsToReady(checkout, join(folder, 'state'))).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
