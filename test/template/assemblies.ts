/** The cloud assemblies that the set-up of the template ring creates once for all its test files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigurationName } from './configurations.ts';

/** Names the folder of this run. */
export const ASSEMBLIES_VARIABLE = 'TEST_ASSEMBLIES';

/** Returns the path of a file or folder of this run. */
export function fileOf(name: string): string {
  const path = join(process.env[ASSEMBLIES_VARIABLE] ?? '', name);
  if (!existsSync(path)) throw new Error(`${path} was not made: run the template ring with jest`);
  return path;
}

/** The folder of the assembly of a configuration, with placeholder bundles. */
export const assemblyOf = (name: ConfigurationName): string => fileOf(name);

/** The error and the report of the synthesis of a bucket that breaks rules of AWS Solutions. */
export const unsafeMessage = (): string => readFileSync(fileOf(UNSAFE_FILE), 'utf8');

export const UNSAFE_FILE = 'unsafe.txt';
