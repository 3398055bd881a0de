/** The conditions of a release. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseDateOf } from './changelog.ts';
import { cleanTree } from './commit.ts';

export interface ReleaseOptions {
  readonly root: string;
  readonly version: string;
  /** The version that the product states. */
  readonly stated: string;
  /** Returns a line for each result of a bench that is older than its code. */
  readonly staleResults: () => Promise<readonly string[]>;
}

/** Returns why a checkout cannot be released as that version, a line for each reason. */
export async function objectionsTo({
  root,
  version,
  stated,
  staleResults,
}: ReleaseOptions): Promise<readonly string[]> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const objections: (string | undefined)[] = [
    /^\d+\.\d+\.\d+$/.test(version) ? undefined : `${version} is no version such as 1.0.0`,
    cleanTree(root) === undefined ? 'the checkout has changes that are not committed' : undefined,
    stated === version ? undefined : `the service states ${stated}: change RELEASE`,
    manifest.version === version ? undefined : `package.json states ${manifest.version}`,
    existsSync(join(root, 'releases', version)) ? `releases/${version} exists` : undefined,
    ...(await staleResults()).map((line) => `a result is stale: ${line}`),
  ];
  try {
    releaseDateOf(changelog, version);
  } catch (failure) {
    objections.push((failure as Error).message);
  }
  return objections.filter((line) => line !== undefined);
}
