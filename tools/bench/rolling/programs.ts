/** The programs of a release, of this tree, and of versions that differ from it in their layouts. */
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { FUNCTION_BUNDLING } from '../../../lib/bundle.ts';
import { handlerOf } from '../../test-kit/handlers.ts';
import { bundleHost, PROGRAM } from '../host/bundle.ts';

const RELEASES = join(import.meta.dirname, '..', '..', '..', 'releases');

/** The compressed host in the folder of a release. */
const STORED = `${PROGRAM}.br`;

type Change = readonly [from: string, to: string];

const LATER_KEYS: Change = ['keys: { reads: 2, writes: 1 }', 'keys: { reads: 2, writes: 2 }'];

/** The versions that exist in tests alone, by their changes of the table of layouts. */
const CHANGES = {
  /** The next version, which writes a later layout of keys once the update is finished. */
  candidate: [LATER_KEYS],
  /** The next version with an error: it does not wait for the end of the update. */
  early: [
    LATER_KEYS,
    ['Math.min(layouts[kind]?.writes ?? 1, stage[kind] ?? 1)', 'layouts[kind]?.writes ?? 1'],
  ],
} as const satisfies Readonly<Record<string, readonly Change[]>>;

/** `tree`, the version of a release, or one with changes. */
export type ProgramVersion = 'tree' | keyof typeof CHANGES | `${number}.${number}.${number}`;

/** Returns the version of the newest release; this tree's if nothing is released. */
export function releasedVersion(): ProgramVersion {
  const versions = globSync(join(RELEASES, '*', STORED)).map((path) => basename(dirname(path)));
  const newest = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  return newest === undefined ? 'tree' : (newest as ProgramVersion);
}

function pluginsOf(version: ProgramVersion): readonly Plugin[] {
  if (!(version in CHANGES)) return [];
  const changes: readonly Change[] = CHANGES[version as keyof typeof CHANGES];
  return [
    {
      name: version,
      setup({ onLoad }) {
        onLoad({ filter: /\/contract\/layouts\.ts$/ }, async ({ path }) => {
          let contents = await readFile(path, 'utf8');
          for (const [from, to] of changes) {
            if (!contents.includes(from)) throw new Error(`${path} has no ${from}`);
            contents = contents.replace(from, to);
          }
          return { contents, loader: 'ts' };
        });
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

  /** Returns the folder of a function of a version. A release stores none: those of this tree have its layouts. */
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
