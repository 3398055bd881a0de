/**
 * The software bill of materials: every package of the production closure, and every other one that is in what is
 * deployed, as CycloneDX 1.6 (ECMA-424) and as a list of licences. Both depend on the lock file and the bundles alone.
 */
import type { Metafile } from 'esbuild';
import { type LockedPackage, packageFolderOf } from './lock-file.ts';

/** A package, and whether its code is in what is deployed; else it is installed and left out. */
export interface Material {
  readonly package: LockedPackage;
  readonly deployed: boolean;
}

/** What the bill is of: the `name`, `version` and `license` of `package.json`. */
export interface Product {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The folders of the packages with code in the outputs; a package of which nothing is left is not among them. */
export function bundledFolders({ outputs }: Metafile): ReadonlySet<string> {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return new Set(files.flatMap((file) => packageFolderOf(file) ?? []));
}

/** What belongs in the bill. Throws when something is deployed that the lock file does not know. */
export function materialsOf(
  locked: readonly LockedPackage[],
  deployed: ReadonlySet<string>,
): readonly Material[] {
  const known = new Set(locked.map(({ path }) => path));
  const stray = [...deployed].find((path) => !known.has(path));
  if (stray !== undefined) throw new Error(`${stray} is deployed, and package-lock.json does not have it`);
  return locked
    .map((each) => ({ package: each, deployed: deployed.has(each.path) }))
    .filter((material) => material.deployed || material.package.production);
}

/** A CycloneDX 1.6 document, without a time or a serial number: the same packages give the same text. */
export function cycloneDx(product: Product, materials: readonly Material[]): object {
  const refs = new Map(
    materials.map(({ package: { path } }) => [path, path.replaceAll('node_modules/', '')]),
  );
  const inBill = (path: string) => refs.get(path) ?? [];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': product.name,
        name: product.name,
        version: product.version,
        licenses: licencesOf(product.license),
      },
    },
    components: materials.map(({ package: locked, deployed }) => componentOf(locked, deployed, refs)),
    dependencies: materials.map(({ package: { path, dependsOn } }) => ({
      ref: refs.get(path),
      dependsOn: dependsOn.flatMap(inBill),
    })),
  };
}

function componentOf(locked: LockedPackage, deployed: boolean, refs: ReadonlyMap<string, string>): object {
  const { path, name, version, licence, integrity } = locked;
  return {
    type: 'library',
    'bom-ref': refs.get(path),
    name,
    version,
    // "optional" is what is not needed at run time (CycloneDX, scope).
    scope: deployed ? 'required' : 'optional',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: licencesOf(licence),
    ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
  };
}

/** One SPDX identifier, or an expression of several. */
const licencesOf = (licence: string): readonly object[] => {
  if (licence === '') return [];
  return /^[A-Za-z0-9.-]+$/.test(licence) ? [{ license: { id: licence } }] : [{ expression: licence }];
};

function hashOf(integrity: string): object {
  const [, content = ''] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (content === '') throw new Error(`the integrity ${integrity} is not that of SHA-512`);
  return { alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') };
}

/** The licences of what is deployed: name, version and licence of each package, and the texts that it carries. */
export function licenceList(
  materials: readonly Material[],
  textsOf: (path: string) => readonly string[],
): string {
  const sections = materials
    .filter(({ deployed }) => deployed)
    .map(({ package: { name, version, licence, path } }) => {
      const texts = textsOf(path);
      const carried = texts.length === 0 ? ['The package carries no text of its licence.'] : texts;
      return [`${name} ${version}: ${licence}`, ...carried.map((text) => text.trim())].join('\n\n');
    });
  return `${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
