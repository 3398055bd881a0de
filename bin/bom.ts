/** `npm run bom [-- FOLDER]`: writes the bill of materials and the licences of what is deployed, by default to `.build/bom`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions, COPIED_PACKAGES } from '../lib/bundle.ts';
import { bundleConsole } from '../lib/bundle-console.ts';
import { billFilesOf } from '../lib/supply/bill-files.ts';
import { bundledFolders } from '../lib/supply/bill-of-materials.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '..', '.build', 'bom');

async function deployedFolders(): Promise<readonly string[]> {
  const bundles = mkdtempSync(join(tmpdir(), 'bom-'));
  try {
    const bundled = bundledFolders(await bundleFunctions(bundles));
    const { metafile } = await bundleConsole({
      page: join(bundles, 'page'),
      assets: join(bundles, 'assets'),
    });
    const copied = COPIED_PACKAGES.map((name) => `node_modules/${name}`);
    return [...bundled, ...bundledFolders(metafile), ...copied];
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

const files = billFilesOf(await deployedFolders());
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
process.stdout.write(`${folder}: ${Object.keys(files).join(' and ')} of what is deployed\n`);
