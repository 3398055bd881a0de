import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { objectionsTo } from '../test/supply/policy.ts';
import { bundlesFolder, bundlesMetafile } from '../test/template/bundles.ts';
import { FUNCTIONS } from '../test/template/functions.ts';
import { temporaryFolder } from '../test/template/synthesized-app.ts';
import { handlerOf } from '../tools/test-kit/handlers.ts';
import { FUNCTION_BUNDLING, OTHER_CREDENTIALS } from './bundle.ts';
import { bundledFolders } from './supply/bill-of-materials.ts';

/** A cold start reads and compiles the bundle; a megabyte still leaves it within its 250 ms. */
const MAX_CHAT_BUNDLE_BYTES = 1_000_000;

const root = join(import.meta.dirname, '..');
const folder = bundlesFolder();
const metafile = bundlesMetafile();

const bundleOf = (endpoint: string, root = folder): string => join(root, endpoint, 'index.mjs');
const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Files whose names are hashes of what is in them. */
const HASHED = /-[A-Z0-9]{8}\.(js|css)\.gz$/;

/** Returns the imports in some of the bundles that neither the bundle nor Node has. */
const externalImports = (isIncluded: (path: string) => boolean) =>
  Object.entries(metafile.outputs)
    .filter(([path]) => isIncluded(path))
    .flatMap(([, { imports }]) => imports)
    .filter(({ path, external }) => external && !builtinModules.includes(path.replace(/^node:/, '')));

describe('the bundles', () => {
  it('consist of one folder per function and one for the shared host, with source maps and served or built files, and without earlier files', () => {
    expect(readdirSync(folder).sort()).toEqual([...FUNCTIONS, 'inference-host'].sort());
    expect(readdirSync(join(folder, 'inference-host')).sort()).toEqual([
      'Dockerfile',
      'host.mjs',
      'host.mjs.map',
    ]);
    for (const endpoint of FUNCTIONS)
      expect(
        readdirSync(join(folder, endpoint))
          .filter((file) => endpoint !== 'get-console-asset' || !HASHED.test(file))
          .sort(),
      ).toEqual([
        // The upload ingress is a second program beside the function, and an image of it.
        ...(endpoint === 'create-transcription' ? ['Dockerfile', 'host.mjs', 'host.mjs.map'] : []),
        ...(endpoint === 'get-console' ? ['index.html.gz'] : []),
        'index.mjs',
        'index.mjs.map',
        ...(endpoint === 'get-docs-asset' ? ['swagger-ui-bundle.js.gz', 'swagger-ui.css.gz'] : []),
      ]);
  });

  it('stay small enough for a fast start of chat', () => {
    expect(statSync(bundleOf('create-chat-completion')).size).toBeLessThan(MAX_CHAT_BUNDLE_BYTES);
  });

  it('hold everything but what Node has: the AWS SDK that Lambda offers is of another version', () => {
    expect(externalImports((path) => path.endsWith('/host.mjs'))).toEqual([]);
  });

  it('hold no source of credentials in functions, because the SDK imports one only if the environment has none', () => {
    const packages = OTHER_CREDENTIALS.map((name) => name.replace('/*', ''));
    const imports = externalImports((path) => path.endsWith('/index.mjs'));
    expect(imports.length).toBeGreaterThan(0);
    for (const { path, kind } of imports) {
      expect(packages.filter((name) => path === name || path.startsWith(`${name}/`))).toHaveLength(1);
      expect([path, kind]).toEqual([path, 'dynamic-import']);
    }
  });

  it('hold nothing of the other layers', () => {
    const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
    expect(inputs.length).toBeGreaterThan(40);
    expect(inputs.filter((path) => !path.startsWith('lambdas/'))).toEqual([]);
  });

  it('hold only packages of the lock file, with licences that are on the list', () => {
    const deployed = bundledFolders(metafile);
    expect(deployed.size).toBeGreaterThan(20);
    expect(objectionsTo(deployed)).toEqual([]);
  });

  it('hold no SDK that their function does not call', () => {
    const packagesOf = (endpoint: string) =>
      Object.entries(metafile.outputs)
        .filter(([path]) => path.endsWith(`/${endpoint}/index.mjs`))
        .flatMap(([, { inputs }]) => Object.entries(inputs))
        .filter(
          ([path, { bytesInOutput }]) => bytesInOutput > 0 && path.includes('node_modules/@aws-sdk/client-'),
        )
        .map(([path]) => path);
    expect(packagesOf('get-index')).toEqual([]);
    expect(packagesOf('list-models').filter((path) => path.includes('secrets-manager'))).toEqual([]);
    const chat = packagesOf('create-chat-completion');
    expect(chat.some((path) => path.includes('secrets-manager'))).toBe(true);
    const withPolly = FUNCTIONS.filter((name) =>
      packagesOf(name).some((path) => path.includes('client-polly')),
    );
    expect(withPolly).toEqual(['create-speech']);
    expect(packagesOf('create-speech').filter((path) => path.includes('client-bedrock'))).toEqual([]);
  });

  it('depend on the sources alone, so that an unchanged function is not deployed again', async () => {
    const again = temporaryFolder();
    const some = ['create-chat-completion', 'get-index', 'list-keys'] as const;
    const entryPoints = some.map((name) => ({
      in: handlerOf(name),
      out: `${name}/index`,
    }));
    await build({ ...FUNCTION_BUNDLING, entryPoints, outdir: again });
    for (const name of some)
      expect([name, hashOf(bundleOf(name, again))]).toEqual([name, hashOf(bundleOf(name))]);
  });

  it.each(FUNCTIONS)('name no folder of the machine that built them: %s', (endpoint) => {
    const text = readFileSync(bundleOf(endpoint), 'utf8');
    expect(text).not.toContain(root);
    expect(text).not.toContain('sourceMappingURL');
  });
});
