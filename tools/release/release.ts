/**
 * `npm run release -- VERSION [--archive FOLDER]`: checks that this commit can be released, and writes `releases/VERSION` and
 * the archive. Exits with 1, and writes nothing, if a condition is not met.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { LAYOUTS } from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { bundleFunctions, SHARED_HOST } from '../../lib/bundle.ts';
import { staleResults } from '../bench/figures/pages.ts';
import { buildArchive, SUMS } from './archive/archive.ts';
import { ASSEMBLY_FILE, writeAssembly } from './assembly/assembly.ts';
import { releaseDateOf } from './changelog.ts';
import { cleanTree, hasPassedWhole, headOf } from './commit.ts';
import { writeRelease } from './folder.ts';
import { objectionsTo } from './objections.ts';
import { brokenPromises, lastReleased } from './promises.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns whether all tests pass on this tree: now, or in a run of `npm test` that has left its record. */
function passesTests(tree: string): boolean {
  if (hasPassedWhole(ROOT, tree)) return true;
  return spawnSync('npm', ['test'], { cwd: ROOT, stdio: 'inherit' }).status === 0 && cleanTree(ROOT) === tree;
}

/** Writes the program of the shared host, which tests of later releases run next to theirs. */
async function writeHost(file: string): Promise<void> {
  const bundles = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    await bundleFunctions(bundles);
    writeFileSync(file, brotliCompressSync(readFileSync(join(bundles, SHARED_HOST, 'host.mjs'))));
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

/** Has this release's own code write a state, on which tests of later releases run. */
const writeState = (file: string) =>
  execFileSync(process.execPath, [join('test', 'releases', 'fixture', 'write.ts'), file], { cwd: ROOT });

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { archive: { type: 'string', default: join(ROOT, '.build', 'release') } },
});
const [version = ''] = positionals;
const last = lastReleased(join(ROOT, 'releases'));
const objections = [
  ...(await objectionsTo({ root: ROOT, version, stated: RELEASE, staleResults })),
  ...brokenPromises(LAYOUTS, last ?? LAYOUTS),
];
const tree = cleanTree(ROOT) ?? '';
if (objections.length > 0 || !passesTests(tree)) {
  for (const line of objections) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
} else {
  const date = releaseDateOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  const record = { version, date, commit: headOf(ROOT), layouts: LAYOUTS };
  const folder = await writeRelease(join(ROOT, 'releases'), record, async (files) => {
    writeState(join(files, 'state.br'));
    await writeHost(join(files, 'host.mjs.br'));
    await buildArchive({ directory: values.archive });
    copyFileSync(join(values.archive, SUMS), join(files, SUMS));
    await writeAssembly({ root: ROOT, file: join(files, ASSEMBLY_FILE) });
  });
  process.stdout.write(`${folder}: commit it, and nothing else, as the release\n`);
}
