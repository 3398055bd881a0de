/** What the set-up of the template ring makes once for all its test files: cloud assemblies and the bundles. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { ConfigurationName } from './configurations.ts';

/** Names the folder of this run. */
export const ASSEMBLIES_VARIABLE = 'TEST_ASSEMBLIES';

function fileOf(name: string): string {
  const path = join(process.env[ASSEMBLIES_VARIABLE] ?? '', name);
  if (!existsSync(path)) throw new Error(`${path} was not made: run the template ring with jest`);
  return path;
}

/** The folder of the assembly of a configuration, with placeholder bundles. */
export const assemblyOf = (name: ConfigurationName): string => fileOf(name);

/** The error and the report of the synthesis of a bucket that breaks rules of AWS Solutions. */
export const unsafeMessage = (): string => readFileSync(fileOf(UNSAFE_FILE), 'utf8');

/** The bundles of all functions, as they are deployed. */
export const bundlesFolder = (): string => fileOf(BUNDLES_FOLDER);

/** esbuild's account of what went into each bundle. */
export const bundlesMetafile = (): Metafile => JSON.parse(readFileSync(fileOf(METAFILE), 'utf8')) as Metafile;

export const UNSAFE_FILE = 'unsafe.txt';
export const BUNDLES_FOLDER = 'bundles';
export const METAFILE = 'metafile.json';
