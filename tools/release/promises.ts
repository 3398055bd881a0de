/** The promise of each release about stored data, which the next one keeps. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layout } from '../../lambdas/platform/contract/layouts.ts';

export type ReleasedLayouts = Readonly<Record<string, Layout>>;

/** Returns the layouts of the newest release in the folder; undefined if there is none. */
export function lastReleased(releases: string): ReleasedLayouts | undefined {
  const versions = existsSync(releases) ? readdirSync(releases).filter((name) => /^\d/.test(name)) : [];
  const newest = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (newest === undefined) return undefined;
  const record = readFileSync(join(releases, newest, 'release.json'), 'utf8');
  return (JSON.parse(record) as { readonly layouts: ReleasedLayouts }).layouts;
}

/**
 * Returns why a version with these layouts cannot follow the release, a line for each kind: it must read what the release
 * may have written, and of what the release knows it may write only what the release reads.
 */
export const brokenPromises = (layouts: ReleasedLayouts, last: ReleasedLayouts): readonly string[] =>
  Object.entries(last).flatMap(([kind, { reads, writes }]) => {
    const now = layouts[kind];
    if (now === undefined || now.reads < writes)
      return [`${kind}: the last release writes layout ${writes}, and this version does not read it`];
    if (now.writes > reads)
      return [`${kind}: this version writes layout ${now.writes}, and the last release does not read it`];
    return [];
  });
