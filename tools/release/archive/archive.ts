/**
 * The archive of a release: everything that runs the service, the operator's command and a deployment on a machine that
 * has Node.js. It depends on the sources and the packages alone, so that two builds of one commit are equal.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { COPIED_PACKAGES } from '../../../lib/bundle.ts';
import { bundleConsole } from '../../../lib/bundle-console.ts';
import { billFilesOf } from '../../../lib/supply/bill-files.ts';
import { bundledFolders, packageFolderOf } from '../../../lib/supply/bill-of-materials.ts';
import { type ArchivedFile, filesIn, textFile } from './files.ts';
import { bundleBoth, type FunctionBundles, functionFiles } from './function-files.ts';
import { bundlePrograms, UNBUNDLED, withCommands } from './programs.ts';
import { tarOf } from './tar.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Files and folders of the repository that the archive has at the same path. */
const COPIED = [
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'catalogs',
  'cdk.json',
  'docs',
  'lib/observability/runbook.md',
  'lib/workflows',
  'tools/local/config.json',
  'tools/local/seed/catalog.json',
];

/** The embedded DynamoDB of the platform on which everything is tested; npm installs that of another one. */
const ENGINE = '@dynoxide/linux-x64';

/** Packages that are copied as they are published. */
const PACKAGES = [...UNBUNDLED, '@aws-cdk/cloud-assembly-schema', 'aws-cdk', ENGINE];

/** Declarations, documentation, templates of new apps, and what other languages than JavaScript need of a package. */
const UNUSED =
  /\.(d\.ts|ts-fixture|map|md|html|png|gif|zip)$|\/\.jsii(\.tabl\.json)?(\.gz)?$|\/(init-templates|\.bin)\//;

/** The levels above 6 take longer, and spare a hundredth. */
const GZIP_LEVEL = 6;

/** The byte of a gzip header that names the operating system of its writer, and the value for an unknown one (RFC 1952). */
const GZIP_OS = { at: 9, unknown: 255 };

/** Next to the archive: what `sha256sum --check` reads. */
export const SUMS = 'SHA256SUMS';

export interface ArchiveOptions {
  /** The folder for the archive, its bill of materials and the SHA-256 sums of both. */
  readonly directory: string;
  /** Bundles that exist already. */
  readonly bundles?: FunctionBundles;
}

export interface Archive {
  readonly file: string;
  readonly sha256: string;
}

/** Writes `<name>-<version>.tar.gz`, `bom.cdx.json` and `SHA256SUMS`. */
export async function buildArchive({ directory, bundles }: ArchiveOptions): Promise<Archive> {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  try {
    const functions = bundles ?? (await bundleBoth(folder));
    const programs = await bundlePrograms(root);
    const { metafile: page } = await bundleConsole({
      page: join(folder, 'page'),
      assets: join(folder, 'page'),
    });
    const packages = PACKAGES.flatMap((name) => copyOf(`node_modules/${name}`)).filter(
      ({ path }) => !UNUSED.test(path),
    );
    const bill = billFilesOf([
      ...[functions.metafile, programs.metafile, page].flatMap((metafile) => [...bundledFolders(metafile)]),
      ...packages.flatMap(({ path }) => packageFolderOf(path) ?? []),
      ...COPIED_PACKAGES.map((name) => `node_modules/${name}`),
    ]);
    const { name, version, ...manifest } = manifestOf();
    const files = [
      ...COPIED.flatMap(copyOf).map(forArchive),
      ...filesIn(join(import.meta.dirname, 'files'), ''),
      ...functionFiles(functions),
      ...programs.files,
      ...packages,
      textFile('package.json', JSON.stringify({ name, version, ...manifest }, null, 2)),
      ...Object.entries(bill).map(([path, text]) => textFile(path, text)),
    ];
    const top = `${name}-${version}`;
    const compressed = gzipSync(tarOf(files.map((file) => ({ ...file, path: `${top}/${file.path}` }))), {
      level: GZIP_LEVEL,
    });
    compressed[GZIP_OS.at] = GZIP_OS.unknown;
    return write(directory, `${top}.tar.gz`, compressed, bill['bom.cdx.json']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(directory: string, name: string, archive: Buffer, bill: string): Archive {
  mkdirSync(directory, { recursive: true });
  const contents = { [name]: archive, 'bom.cdx.json': bill };
  const sums = Object.entries(contents).map(([file, content]) => {
    writeFileSync(join(directory, file), content);
    return `${sha256Of(content)}  ${file}\n`;
  });
  writeFileSync(join(directory, SUMS), sums.join(''));
  return { file: join(directory, name), sha256: sha256Of(archive) };
}

const sha256Of = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

const copyOf = (path: string): readonly ArchivedFile[] => filesIn(join(root, path), path);

/** Returns a page with the commands of an archive, and any other file unchanged. */
const forArchive = (file: ArchivedFile): ArchivedFile =>
  file.path.endsWith('.md') ? textFile(file.path, withCommands(String(file.content))) : file;

/** The manifest: npm finds in it the package of the platform that it runs on, and leaves the others as they are. */
function manifestOf(): {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
} {
  const read = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { name, version, description, license, devDependencies } = read('.');
  const dependencies = Object.fromEntries(
    [...UNBUNDLED, 'aws-cdk'].map((dependency) => [dependency, devDependencies[dependency]]),
  );
  const { optionalDependencies } = read('tools/local');
  const engines = { node: '>=24' };
  return {
    name,
    version,
    description,
    license,
    private: true,
    type: 'module',
    engines,
    dependencies,
    optionalDependencies,
  };
}
