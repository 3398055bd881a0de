/** The versions of the stage that the ring deploys one after the other, each as the folder of an assembly. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  ASSEMBLY_FILE,
  packAssembly,
  readAssembly,
  synthesizeStage,
} from '../../../tools/release/assembly/assembly.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Little, for a file that is read once. */
const QUALITY = 1;

/** A module in this folder that makes a process one of another version. */
export type OtherVersion = 'next-version' | 'earlier-version';

/** Returns the option of Node.js that makes a process one of another version. */
export const importVersion = (version: OtherVersion): string =>
  `--import ${pathToFileURL(join(import.meta.dirname, `${version}.ts`)).href}`;

/** Synthesizes this version of the stage, or another; resolves with its folder. */
export async function synthesizeVersion(parent: string, version?: OtherVersion): Promise<string> {
  const output = join(parent, version ?? 'this-version');
  const environment: Record<string, string> =
    version === undefined ? {} : { NODE_OPTIONS: importVersion(version) };
  await synthesizeStage({ root, output, environment });
  return output;
}

/** Reads the last release of the stage; resolves with its folder. If nothing is released, that is this version. */
export async function readLastRelease(parent: string, thisVersion: Promise<string>): Promise<string> {
  const files = globSync(`releases/*/${ASSEMBLY_FILE}`, { cwd: root });
  const [newest] = files.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const file = join(newest === undefined ? parent : root, newest ?? ASSEMBLY_FILE);
  if (newest === undefined) packAssembly(await thisVersion, file, QUALITY);
  const output = join(parent, 'last-release');
  readAssembly(file, output);
  return output;
}
