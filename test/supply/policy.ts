/** The policy for deployed packages and for packages that run code at installation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of the lock file (npm documentation, package-lock.json, version 3). */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  /** True for a package that `npm ci` may skip. */
  readonly optional?: boolean;
  /** The operating systems and the processors on which `npm ci` installs it; every one if it lists none. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  /** True for a package that another one contains, whose digest covers it. */
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  /** True for a workspace, whose folder in `node_modules` is a link. */
  readonly link?: boolean;
  /** The reason why its publisher advises against it. */
  readonly deprecated?: string;
}

/** Returns every package of the lock file by its folder, without the workspaces. */
export function lockedPackages(): ReadonlyMap<string, LockedPackage> {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  return new Map(
    Object.entries(packages).filter(
      ([folder, { link }]) => folder.includes('node_modules/') && link !== true,
    ),
  );
}

/**
 * Returns whether a package can be deployed. A `devOptional` one is an optional peer of a production package that only a
 * development package requests. The `optional` ones are programs of this machine's platform; no bundle contains them.
 */
export const isProduction = ({ dev, devOptional, optional }: LockedPackage): boolean =>
  dev !== true && devOptional !== true && optional !== true;

/**
 * Licences that ask for no more than that they be kept with the code. Whoever adds one has read it: nothing here obliges
 * who runs the service to publish anything.
 */
const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  '(MIT OR Apache-2.0)',
]);

/** Returns the objections to deployed packages, one line each. */
export const objectionsTo = (
  folders: Iterable<string>,
  locked: ReadonlyMap<string, LockedPackage> = lockedPackages(),
): readonly string[] =>
  [...folders].flatMap((folder) => {
    const { license = '', deprecated } = locked.get(folder) ?? {};
    return [
      ...(ALLOWED_LICENCES.has(license) ? [] : [`${folder}: the licence "${license}" is not on the list`]),
      ...(deprecated === undefined ? [] : [`${folder}: deprecated: ${deprecated}`]),
    ];
  });
