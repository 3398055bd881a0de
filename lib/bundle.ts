/** Bundles every function for Lambda with esbuild: one folder a function, one file in it. */
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { bundleConsole } from './bundle-console.ts';
import type { Config } from './config/config.ts';

const root = join(import.meta.dirname, '..');

/** Some packages of the AWS SDK still call `require`, which an ES module has only if it makes one. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** The bundling options of every function and program. */
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
  define: { WITHOUT_MARKET: 'undefined' },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Sources of credentials that no function uses: Lambda sets the credentials in the environment (Lambda developer guide,
 * Defined runtime environment variables). The SDK imports each of these packages only if the environment has none.
 */
export const OTHER_CREDENTIALS: readonly string[] = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@aws-sdk/nested-clients/*',
  '@smithy/credential-provider-imds',
];

/** The bundling options of a function. A program has the full options, because a container has other credentials. */
export const FUNCTION_BUNDLING = { ...BUNDLING, external: [...OTHER_CREDENTIALS] };

/** Swagger UI as published; the files contain the notices that its license requires. */
const DOCS_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const DOCS_PACKAGE = 'swagger-ui-dist';

/** Packages whose files are deployed unchanged, in addition to the bundles. */
export const COPIED_PACKAGES: readonly string[] = [DOCS_PACKAGE];

/** Copies the files of the reference page next to the function that serves them, compressed in advance. */
function addDocsAssets(directory: string): void {
  for (const file of DOCS_FILES) {
    const source = readFileSync(join(root, 'node_modules', DOCS_PACKAGE, file));
    writeFileSync(join(directory, `${file}.gz`), gzipSync(source, { level: 9 }));
  }
}

/** The folder of the shared host. */
export const SHARED_HOST = 'inference-host';

/**
 * The programs that listen by themselves, by their folder. The program for uploads is next to the function that it
 * replaces.
 */
export const PROGRAMS = { 'create-transcription': 'upload.ts', [SHARED_HOST]: 'inference.ts' } as const;

/** Next to a program: builds its image, for platforms that run images. */
export const IMAGE_FILE = 'Dockerfile';
const DOCKERFILE = join(root, 'lambdas', 'servers', 'host.dockerfile');

/**
 * Writes `<directory>/<function>/index.mjs` (minified, with a source map next to it) for every handler, and returns
 * esbuild's metafile of their inputs. The output depends on the sources and the setting alone, so asset hashes are stable.
 */
export async function bundleFunctions(
  directory: string,
  { market }: Pick<Config, 'market'> = { market: true },
): Promise<Metafile> {
  const define = market ? BUNDLING.define : { WITHOUT_MARKET: 'true' };
  const folders = globSync('lambdas/*/{endpoints,consumers}/*/handler.ts', { cwd: root }).map((handler) => ({
    name: basename(dirname(handler)),
    handler: join(root, handler),
  }));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const [functions, programs] = await Promise.all([
    build({
      ...FUNCTION_BUNDLING,
      define,
      entryPoints: folders.map(({ name, handler }) => ({ in: handler, out: `${name}/index` })),
      outdir: directory,
    }),
    build({
      ...BUNDLING,
      define,
      entryPoints: Object.entries(PROGRAMS).map(([folder, file]) => ({
        in: join(root, 'lambdas', 'servers', file),
        out: `${folder}/host`,
      })),
      outdir: directory,
    }),
  ]);
  addDocsAssets(join(directory, 'get-docs-asset'));
  await bundleConsole({ page: join(directory, 'get-console'), assets: join(directory, 'get-console-asset') });
  for (const folder of Object.keys(PROGRAMS)) copyFileSync(DOCKERFILE, join(directory, folder, IMAGE_FILE));
  return {
    inputs: { ...functions.metafile.inputs, ...programs.metafile.inputs },
    outputs: { ...functions.metafile.outputs, ...programs.metafile.outputs },
  };
}
