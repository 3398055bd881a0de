/** Bundles every function for Lambda with esbuild, in one run: one folder a function, one file in it. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** Some packages of the AWS SDK still call `require`, which an ES module has only if it makes one. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** How every function is bundled. */
export const BUNDLING = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  minify: true,
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  banner: { js: banner },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Writes `<directory>/<function>/index.mjs` (minified, with a source map beside it) for every handler, and returns
 * esbuild's account of what went into each. The output depends on the sources alone, so asset hashes are stable.
 */
export async function bundleFunctions(directory: string): Promise<Metafile> {
  const folders = ['endpoints', 'consumers'].flatMap((kind) => {
    const parent = join(root, 'lambdas', kind);
    return readdirSync(parent).map((name) => ({ name, handler: join(parent, name, 'handler.ts') }));
  });
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const result = await build({
    ...BUNDLING,
    entryPoints: folders.map(({ name, handler }) => ({ in: handler, out: `${name}/index` })),
    outdir: directory,
  });
  return result.metafile;
}
