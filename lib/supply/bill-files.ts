/** The bill of materials and the licences of packages, as files. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BillOfMaterials, billOf } from './bill-of-materials.ts';

const root = join(import.meta.dirname, '..', '..');

/** The texts of the files, by their names. */
export interface BillFiles {
  readonly 'bom.cdx.json': string;
  readonly 'licences.txt': string;
}

const SEPARATOR = `\n\n${'-'.repeat(80)}\n\n`;

/** Returns the files for the deployed packages, whose folders are given from the root. */
export function billFilesOf(folders: Iterable<string>): BillFiles {
  const deployed = [...new Set(folders)].sort().map(packageIn);
  const bill = billOf(lockedPackages(), new Set(deployed.map(({ ref }) => ref)));
  return {
    'bom.cdx.json': `${JSON.stringify(bill, null, 2)}\n`,
    'licences.txt': `${deployed.map(({ licence }) => licence).join(SEPARATOR)}\n`,
  };
}

/** Returns npm's bill of the lock file. npm fails for a workspace without a version, which has that of the root here. */
function lockedPackages(): BillOfMaterials {
  const folder = mkdtempSync(join(tmpdir(), 'bill-'));
  try {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      readonly version: string;
      readonly packages: Record<string, { version?: string }>;
    };
    for (const entry of Object.values(lock.packages)) entry.version ??= lock.version;
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
    const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return JSON.parse(printed) as BillOfMaterials;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the package in a folder of the root: its name in the bill of materials, and its license with the license
 * texts.
 */
function packageIn(path: string): { readonly ref: string; readonly licence: string } {
  const read = (file: string) => readFileSync(join(root, path, file), 'utf8');
  const { name, version, license } = JSON.parse(read('package.json')) as Record<string, string>;
  const licenseTexts = readdirSync(join(root, path))
    .filter((file) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(file))
    .sort()
    .map((file) => read(file).trim());
  if (licenseTexts.length === 0) licenseTexts.push('The package carries no text of its licence.');
  return {
    ref: `${name}@${version}`,
    licence: [`${name} ${version}: ${license}`, ...licenseTexts].join('\n\n'),
  };
}
