/** `npm run bom [-- FOLDER]`: writes the bill of materials and the licences of what is deployed, by default to `.build/bom`. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions, COPIED_PACKAGES } from '../lib/bundle.ts';
import { bundleConsole } from '../lib/bundle-console.ts';
import {
  bundledFolders,
  cycloneDx,
  licenceList,
  materialsOf,
  type Product,
} from '../lib/supply/bill-of-materials.ts';
import { readLockFile } from '../lib/supply/lock-file.ts';

const root = join(import.meta.dirname, '..');
const folder = process.argv[2] ?? join(root, '.build', 'bom');

async function deployedFolders(): Promise<ReadonlySet<string>> {
  const bundles = mkdtempSync(join(tmpdir(), 'bom-'));
  try {
    const bundled = bundledFolders(await bundleFunctions(bundles));
    const { metafile } = await bundleConsole({
      page: join(bundles, 'page'),
      assets: join(bundles, 'assets'),
    });
    return new Set([
      ...bundled,
      ...bundledFolders(metafile),
      ...COPIED_PACKAGES.map((name) => `node_modules/${name}`),
    ]);
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

const licenceTexts = (path: string): readonly string[] =>
  readdirSync(join(root, path))
    .filter((name) => /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i.test(name))
    .sort()
    .map((name) => readFileSync(join(root, path, name), 'utf8'));

const product = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Product;
const locked = readLockFile(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const materials = materialsOf(locked, await deployedFolders());
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'bom.cdx.json'), `${JSON.stringify(cycloneDx(product, materials), null, 2)}\n`);
writeFileSync(join(folder, 'licences.txt'), licenceList(materials, licenceTexts));
const deployed = materials.filter((material) => material.deployed).length;
process.stdout.write(
  `${folder}: bom.cdx.json with ${materials.length} packages, licences.txt of the ${deployed} with code in what is deployed\n`,
);
