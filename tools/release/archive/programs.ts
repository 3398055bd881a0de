/** The programs of an archive: each an ES module that needs Node.js and the copied packages alone. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { BUNDLING } from '../../../lib/bundle.ts';
import { type ArchivedFile, textFile } from './files.ts';

/** The folder of the programs in an archive. */
const FOLDER = 'bin/programs';

/** Started by `./service`. */
const COMMANDS = [
  'operator/admin.ts',
  'operator/deployment/check.ts',
  'operator/up/down.ts',
  'operator/up/run.ts',
  'tools/local/reset.ts',
  'tools/local/start.ts',
];

/** Started by their path in the sources: an archive has a module at the same path, which imports the program. */
const STARTED_BY_PATH = [
  'bin/app.ts',
  'tools/local/functions/function-program.ts',
  'tools/simulators/models/main.ts',
];

/** Packages that read files of their own: the archive has them as they are published. */
export const UNBUNDLED: readonly string[] = ['aws-cdk-lib', 'cdk-nag', 'constructs'];

/** Returns a source or a page with the commands of an archive in place of those of a checkout. */
export const withCommands = (text: string): string =>
  text
    .replaceAll('npm ci && npm start', './service start')
    .replaceAll('npm start', './service start')
    .replaceAll('npm run local:reset', './service reset')
    .replaceAll(/npm run (?:--silent )?(up|down|admin)(?: --)?(?![\w:])/g, './service $1')
    .replaceAll(/npm run deploy(?: --)?(?![\w:])/g, './service cdk deploy --all')
    .replaceAll(/npm run diff(?: --)?(?![\w:])/g, './service cdk diff')
    .replaceAll('npx cdk', './service cdk')
    .replaceAll('run npm ci again', 'run npm install in the folder of ./service');

/** Has the sources find their files from the folder of the programs, and the functions bundled. */
const asInArchive = (root: string): Plugin => ({
  name: 'as-in-archive',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/bundle\.ts$/ }, ({ resolveDir }) =>
      resolveDir === join(root, 'lib')
        ? { path: join(import.meta.dirname, 'prebuilt-functions.ts') }
        : undefined,
    );
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const folder = relative(join(root, FOLDER), dirname(path));
      const text = withCommands(readFileSync(path, 'utf8'));
      const dirnames = `(import.meta.dirname + ${JSON.stringify(`/${folder}`)})`;
      return { contents: text.replaceAll('import.meta.dirname', dirnames), loader: 'ts' };
    });
  },
});

/** Returns the files of the programs, and esbuild's metafile of their inputs. */
export async function bundlePrograms(
  root: string,
): Promise<{ readonly files: readonly ArchivedFile[]; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...BUNDLING,
    absWorkingDir: root,
    entryPoints: [...COMMANDS, ...STARTED_BY_PATH],
    outdir: FOLDER,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    // Checks of cdk-nag and errors have names for people.
    keepNames: true,
    sourcemap: false,
    external: UNBUNDLED.flatMap((name) => [name, `${name}/*`]),
    plugins: [asInArchive(root)],
    write: false,
  });
  const programs = outputFiles.map(({ path, text }) => textFile(relative(root, path), text));
  const modules = STARTED_BY_PATH.map((path) => {
    const program = `${relative(dirname(path), FOLDER)}/${basename(path, '.ts')}.mjs`;
    return textFile(path, `import ${JSON.stringify(program.replace(/^(?!\.)/, './'))};\n`);
  });
  return { files: [...programs, ...modules], metafile };
}
