/** The programs of a release, of this tree, and of versions that differ from it in their layouts. */
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { LAYOUTS, type Layout } from '../../../lambdas/platform/contract/layouts.ts';
import { FUNCTION_BUNDLING } from '../../../lib/bundle.ts';
import { handlerOf } from '../../test-kit/handlers.ts';
import { bundleHost, PROGRAM } from '../host/bundle.ts';

const RELEASES = join(import.meta.dirname, '..', '..', '..', 'releases');

/** The compressed host in the folder of a release. */
const STORED = `${PROGRAM}.br`;

/** The code that waits for the end of an update, and code that does not. */
const WAITS = 'Math.min(layouts[kind]?.writes ?? 1, stage[kind] ?? 1)';
const DOES_NOT_WAIT = 'layouts[kind]?.writes ?? 1';

/** `tree`; `early`, which is this tree with an error: it does not wait for the end of the update; or a release. */
export type ProgramVersion = 'tree' | 'early' | `${number}.${number}.${number}`;

/** Returns the versions of the releases, the newest first. */
const releasedVersions = (): readonly ProgramVersion[] =>
  globSync(join(RELEASES, '*', STORED))
    .map((path) => basename(dirname(path)) as ProgramVersion)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));

/** Returns the version of the newest release; this tree's if nothing is released. */
export const releasedVersion = (): ProgramVersion => releasedVersions()[0] ?? 'tree';

/** Returns the table of layouts of a version. */
function layoutsOf(version: ProgramVersion): Readonly<Record<string, Layout>> {
  if (version === 'tree' || version === 'early') return LAYOUTS;
  return JSON.parse(readFileSync(join(RELEASES, version, 'release.json'), 'utf8')).layouts;
}

/** Returns whether a version writes the newest layout of keys once an update is finished. */
export const writesLaterKeys = (version: ProgramVersion): boolean =>
  layoutsOf(version).keys?.writes === LAYOUTS.keys.writes;

/** Returns the newest release that never writes the newest layout of keys. Throws an error if there is none. */
export function releaseBeforeLaterKeys(): ProgramVersion {
  const version = releasedVersions().find((each) => !writesLaterKeys(each));
  if (version === undefined) throw new Error('every release writes the newest layout of keys');
  return version;
}

/** Changes the table of layouts in the code of this tree to that of a version. */
function changeLayouts(code: string, version: ProgramVersion): string {
  if (version !== 'early') return `${code}\nObject.assign(LAYOUTS, ${JSON.stringify(layoutsOf(version))});`;
  if (!code.includes(WAITS)) throw new Error(`the layouts have no ${WAITS}`);
  return code.replace(WAITS, DOES_NOT_WAIT);
}

function pluginsOf(version: ProgramVersion): readonly Plugin[] {
  if (version === 'tree') return [];
  return [
    {
      name: version,
      setup({ onLoad }) {
        onLoad({ filter: /\/contract\/layouts\.ts$/ }, async ({ path }) => ({
          contents: changeLayouts(await readFile(path, 'utf8'), version),
          loader: 'ts',
        }));
      },
    },
  ];
}

/** Programs in a temporary folder, each written once. */
export class Programs {
  readonly #root = mkdtempSync(join(tmpdir(), 'programs-'));
  readonly #written = new Map<string, Promise<string>>();

  /** Returns the folder of the shared host of a version. */
  host(version: ProgramVersion): Promise<string> {
    return this.#once(`host-${version}`, async (folder) => {
      const stored = join(RELEASES, version, STORED);
      if (!existsSync(stored)) return bundleHost(folder, { money: true, plugins: pluginsOf(version) });
      mkdirSync(folder);
      writeFileSync(join(folder, PROGRAM), brotliDecompressSync(readFileSync(stored)));
    });
  }

  /** Returns the folder of a function of a version. A release stores none: they are those of this tree, with its layouts. */
  function(version: ProgramVersion, name: string): Promise<string> {
    return this.#once(`${name}-${version}`, async (folder) => {
      await build({
        ...FUNCTION_BUNDLING,
        entryPoints: [{ in: handlerOf(name), out: 'index' }],
        outdir: folder,
        plugins: [...pluginsOf(version)],
      });
    });
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #once(name: string, write: (folder: string) => Promise<void>): Promise<string> {
    const folder = join(this.#root, name);
    const written = this.#written.get(name) ?? write(folder).then(() => folder);
    this.#written.set(name, written);
    return written;
  }
}
