import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RELEASE } from '../lambdas/platform/contract/release.ts';
import { objectionsTo } from '../test/supply/policy.ts';
import { bundleConsole, type ConsoleBundle } from './bundle-console.ts';
import { bundledFolders } from './supply/bill-of-materials.ts';

/** The maximum size that a browser loads before the first page shows, compressed. */
const MAX_FIRST_BYTES = 200 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'console-'));
const [page, assets] = [join(folder, 'page'), join(folder, 'assets')];
let bundle: ConsoleBundle;

beforeAll(async () => {
  bundle = await bundleConsole({ page, assets });
});
afterAll(() => rmSync(folder, { recursive: true }));

const bytesOf = (name: string) =>
  bundle.files.find((file) => file.name === name)?.compressedBytes ?? Number.NaN;

it('the console loads no more than its budget before the first page shows', () => {
  const first = bundle.first.map(bytesOf).reduce((sum, bytes) => sum + bytes, 0);
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThan(MAX_FIRST_BYTES);
});

it('the console requests the signed-in account and loads the requested page before most of its scripts arrive', () => {
  const outputs = Object.entries(bundle.metafile.outputs);
  const [[path, first] = []] = outputs.filter(([, { entryPoint = '' }]) => entryPoint.endsWith('/first.ts'));
  const html = gunzipSync(readFileSync(join(page, 'index.html.gz'))).toString();
  expect(html).toContain(`<script type="module" async src="console/${basename(path ?? '')}"></script>`);
  const eager = (first?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  const files = [path, ...eager.map((each) => each.path)].map((each) => basename(each ?? ''));
  expect(files.every((name) => bundle.first.includes(name))).toBe(true);
  expect(files.reduce((sum, name) => sum + bytesOf(name), 0)).toBeLessThan(10_000);
  // Every page but the first is loaded by it.
  expect(
    outputs.flatMap(([, { imports }]) => imports).filter(({ kind }) => kind === 'dynamic-import').length,
  ).toBeGreaterThan(12);
});

it('the page of the console shows the release', () => {
  const html = gunzipSync(readFileSync(join(page, 'index.html.gz'))).toString();
  expect(html).toContain(`>Release ${RELEASE}</footer>`);
});

it('the bundle of the console contains no code of the service, and only packages with listed licenses', () => {
  const inputs = Object.keys(bundle.metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
  expect(inputs.length).toBeGreaterThan(20);
  expect(inputs.filter((path) => !path.startsWith('console/'))).toEqual([]);
  const deployed = [...bundledFolders(bundle.metafile)];
  expect(deployed).toEqual(expect.arrayContaining(['node_modules/react', 'node_modules/uplot']));
  expect(objectionsTo(deployed)).toEqual([]);
});

it('each build of the console writes the same files, and the page refers to all of them and to no other', async () => {
  const again = join(folder, 'again');
  await bundleConsole({ page: join(again, 'page'), assets: join(again, 'assets') });
  expect(readdirSync(join(again, 'assets')).sort()).toEqual(readdirSync(assets).sort());
  expect(readdirSync(page)).toEqual(['index.html.gz']);
  expect(
    bundle.files.every(({ name }) => name === 'index.html' || /^[a-z-]+-[A-Z0-9]{8}\.(js|css)$/.test(name)),
  ).toBe(true);
});
