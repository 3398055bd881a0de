/** Bundles the web console with esbuild: pages that are loaded when they are opened, files whose names are hashes of what is in them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { RELEASE } from '../lambdas/platform/contract/release.ts';

const root = join(import.meta.dirname, '..');
const source = join(root, 'console', 'src');

/** The page itself, among the files. */
const PAGE = 'index.html';

/** A served file, and its compressed size. */
interface ConsoleFile {
  readonly name: string;
  readonly compressedBytes: number;
}

export interface ConsoleBundle {
  readonly files: readonly ConsoleFile[];
  /**
   * The files that a browser needs before the first page shows: the page, its scripts with all of their imports, its
   * styles.
   */
  readonly first: readonly string[];
  /** The inputs of each file. */
  readonly metafile: Metafile;
}

/** The folders of the functions that serve the page, and its other files. */
export interface ConsoleFolders {
  readonly page: string;
  readonly assets: string;
}

/** Writes `<folder>/<file>.gz` for every file of the console. The output depends on the sources alone. */
export async function bundleConsole({ page, assets }: ConsoleFolders): Promise<ConsoleBundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: join(source, 'first.ts'), out: 'first' },
      { in: join(source, 'main.tsx'), out: 'console' },
    ],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const scriptOf = (entry: string): string => {
    const [name = ''] = [...outputs].find(([, { entryPoint = '' }]) => basename(entryPoint) === entry) ?? [];
    return name;
  };
  const [ahead, script] = [scriptOf('first.ts'), scriptOf('main.tsx')];
  const styles = basename(outputs.get(script)?.cssBundle ?? '');
  const imported = importedBy([ahead, script], (name) => outputs.get(name)?.imports ?? []);
  const preloads = imported.map((name) => `<link rel="modulepreload" href="console/${name}">`);
  const html = readFileSync(join(source, PAGE), 'utf8')
    .replace('{STYLES}', styles)
    .replace('{FIRST}', ahead)
    .replace('{SCRIPT}', script)
    .replace('{PRELOADS}', preloads.join('\n'))
    .replace('{RELEASE}', RELEASE);
  const contents = new Map<string, Uint8Array>([
    [PAGE, Buffer.from(html)],
    ...outputFiles.map(({ path, contents: bytes }) => [basename(path), bytes] as const),
  ]);
  for (const folder of [page, assets]) mkdirSync(folder, { recursive: true });
  const files = [...contents].map(([name, bytes]) => {
    const compressed = gzipSync(bytes, { level: 9 });
    writeFileSync(join(name === PAGE ? page : assets, `${name}.gz`), compressed);
    return { name, compressedBytes: compressed.length };
  });
  return { files, first: [PAGE, ...new Set([ahead, script, styles, ...imported])], metafile };
}

interface Import {
  readonly path: string;
  readonly kind: string;
}

/** Returns the files that scripts import at start, and the imports of these, each once, depth first. */
function importedBy(
  scripts: readonly string[],
  importsOf: (name: string) => readonly Import[],
): readonly string[] {
  const importedScripts = new Set<string>();
  const visit = (name: string) => {
    for (const { path, kind } of importsOf(name)) {
      const next = basename(path);
      if (kind !== 'import-statement' || importedScripts.has(next)) continue;
      importedScripts.add(next);
      visit(next);
    }
  };
  for (const script of scripts) visit(script);
  return [...importedScripts];
}
