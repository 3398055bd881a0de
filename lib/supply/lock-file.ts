/** Reads `package-lock.json` (npm documentation, package-lock.json, version 3): what npm installs, and for whom. */
import { posix } from 'node:path';

/** One installed package. */
export interface LockedPackage {
  /** Its folder, from the root: `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; empty when the package names none. */
  readonly licence: string;
  /** `sha512-` and the digest in base64; absent for what no registry serves. */
  readonly integrity: string | undefined;
  /** Whether the production closure of `package.json` holds it. */
  readonly production: boolean;
  readonly hasInstallScript: boolean;
  /** Why its publisher advises against it. */
  readonly deprecated: string | undefined;
  /** The folders of the packages that it depends on. */
  readonly dependsOn: readonly string[];
}

interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const MODULES = 'node_modules/';

/** Every package of a lock file, by path; throws when its version is another. */
export function readLockFile(text: string): readonly LockedPackage[] {
  const lock = JSON.parse(text) as { lockfileVersion?: number; packages?: Record<string, Entry> };
  if (lock.lockfileVersion !== 3 || lock.packages === undefined)
    throw new Error(`package-lock.json has version ${lock.lockfileVersion}, and 3 is what is known here`);
  const entries = lock.packages;
  return Object.keys(entries)
    .filter((path) => path !== '')
    .sort()
    .map((path) => packageOf(path, entries));
}

function packageOf(path: string, entries: Readonly<Record<string, Entry>>): LockedPackage {
  const entry = entries[path] ?? {};
  const wanted = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
  return {
    path,
    name: entry.name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length),
    version: entry.version ?? '',
    licence: entry.license ?? '',
    integrity: entry.integrity,
    // `devOptional` is what a production package would take, and only a development package asks for.
    production: entry.dev !== true && entry.devOptional !== true,
    hasInstallScript: entry.hasInstallScript === true,
    deprecated: entry.deprecated,
    dependsOn: wanted.flatMap((name) => foundBy(path, name, entries) ?? []).sort(),
  };
}

/** Where Node finds a package from within a folder: in the nearest `node_modules` above it. */
function foundBy(from: string, name: string, entries: Readonly<Record<string, Entry>>): string | undefined {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const candidate = folder === '.' ? `${MODULES}${name}` : `${folder}/${MODULES}${name}`;
    if (entries[candidate] !== undefined) return candidate;
    if (folder === '.') return undefined;
  }
}

/**
 * The folder of the package that a file lies in; undefined for our own files. What stands before the first
 * `node_modules` is left out, which esbuild reports where that folder is a link.
 */
export function packageFolderOf(file: string): string | undefined {
  const at = file.lastIndexOf(MODULES);
  if (at === -1) return undefined;
  const [first = '', second = ''] = file.slice(at + MODULES.length).split('/');
  const name = first.startsWith('@') ? `${first}/${second}` : first;
  return `${file.slice(file.indexOf(MODULES), at)}${MODULES}${name}`;
}
