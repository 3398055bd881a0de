/**
 * The part of npm's bill of materials that is deployed. `npm sbom` reads the lock file, which does not show the
 * packages of a bundle; esbuild's metafile does.
 */
import type { Metafile } from 'esbuild';

/** The parts of npm's document (CycloneDX 1.5, ECMA-424) that are read here. */
export interface BillOfMaterials {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly tools?: object;
    readonly component: Pick<Component, 'bom-ref'>;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  /** `<name>@<version>`. */
  readonly 'bom-ref': string;
  /** `optional` for a program of this machine's platform, which no bundle contains. */
  readonly scope?: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

const MODULES = 'node_modules/';

/** The properties of a development package and of a workspace. */
const NOT_DEPLOYED: readonly string[] = ['cdx:npm:package:development', 'cdx:npm:package:private'];

/** The folders of the packages with code in the outputs, from the root; a package of which nothing is left is not among them. */
export function bundledFolders({ outputs }: Metafile): ReadonlySet<string> {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return new Set(files.flatMap((file) => packageFolderOf(file) ?? []));
}

/**
 * Returns the folder of the package that contains a file; undefined for our files. Ignores the path before the first
 * `node_modules`, which esbuild reports if that folder is a link.
 */
export function packageFolderOf(file: string): string | undefined {
  const at = file.lastIndexOf(MODULES);
  if (at === -1) return undefined;
  const [first = '', second = ''] = file.slice(at + MODULES.length).split('/');
  const name = first.startsWith('@') ? `${first}/${second}` : first;
  return `${file.slice(file.indexOf(MODULES), at)}${MODULES}${name}`;
}

/**
 * The components of the production closure and those of `deployed`, which are `required`; the others are `optional`. It has
 * no time, serial number, folder or version of npm: the same packages give the same text. Throws for a deployed package that npm does not list.
 */
export function billOf(all: BillOfMaterials, deployed: ReadonlySet<string>): BillOfMaterials {
  const { serialNumber: _serialNumber, ...bill } = all;
  const { timestamp: _timestamp, tools: _tools, component, ...metadata } = all.metadata;
  // npm names the product after its folder.
  const product = { ...component, name: component['bom-ref'].replace(/@[^@]*$/, '') };
  const isProduction = ({ scope, properties }: Component) =>
    scope !== 'optional' && !properties.some(({ name }) => NOT_DEPLOYED.includes(name));
  const components = all.components
    .filter((each) => deployed.has(each['bom-ref']) || isProduction(each))
    .map((each) => ({ ...each, scope: deployed.has(each['bom-ref']) ? 'required' : 'optional' }));
  const listed = new Set(components.map((each) => each['bom-ref']));
  const stray = [...deployed].find((ref) => !listed.has(ref));
  if (stray !== undefined) throw new Error(`${stray} is deployed, and package-lock.json does not have it`);
  const dependencies = all.dependencies
    .filter(({ ref }) => listed.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => listed.has(one)) }));
  return { ...bill, metadata: { ...metadata, component: product }, components, dependencies };
}
