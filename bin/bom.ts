/** `npm run bom [-- FOLDER]`: writes the bill of materials and the licences of what is deployed, by default to `.build/bom`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions, COPIED_PACKAGES } from '../lib/bundle.ts';
import { bundleConsole } from '../lib/bundle-console.ts';
import { type BillOfMaterials, billOf, bundledFolders } from '../lib/supply/bill-of-materials.ts';

const root = join(import.meta.dirname, '..');
const folder = process.argv[2] ?? join(root, '.build', 'bom');

async function deployedFolders(): Promise<readonly string[]> {
  const bundles = mkdtempSync(join(tmpdir(), 'bom-'));
  try {
    const bundled = bundledFolders(await bundleFunctions(bundles));
    const { metafile } = await bundleConsole({
      page: join(bundles, 'page'),
      assets: join(bundles, 'assets'),
    });
    const copied = COPIED_PACKAGES.map((name) => `node_modules/${name}`);
    return [...new Set([...bundled, ...bundledFolders(metafile), ...copied])].sort();
  } finally {
    rmSync(bundles, { recursive: true, force: true });
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

const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const deployed = (await deployedFolders()).map(packageIn);
const bill = billOf(JSON.parse(printed) as BillOfMaterials, new Set(deployed.map(({ ref }) => ref)));
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'bom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
const separator = `\n\n${'-'.repeat(80)}\n\n`;
writeFileSync(join(folder, 'licences.txt'), `${deployed.map(({ licence }) => licence).join(separator)}\n`);
process.stdout.write(
  `${folder}: bom.cdx.json with ${bill.components.length} packages, licences.txt of the ${deployed.length} with code in what is deployed\n`,
);
