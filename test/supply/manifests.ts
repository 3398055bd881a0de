/** The manifests of the root and of its workspaces. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
  readonly version?: string;
  readonly workspaces: readonly string[];
  /** The packages that are deployed. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Returns the manifest in a folder of the root, which is `''`. */
export const readManifest = (folder: string): Manifest => ({
  workspaces: [],
  dependencies: {},
  devDependencies: {},
  optionalDependencies: {},
  ...(JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', folder, 'package.json'), 'utf8'),
  ) as Partial<Manifest>),
});

/** Returns the pins of a manifest: versions by package. */
export const pinsOf = (manifest: Manifest): Readonly<Record<string, string>> => ({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
});
