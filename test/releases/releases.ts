/** The releases of the repository: each is a folder of `releases`, named by its version. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'releases');

/** The file of a release with the state that its code has written. */
const STATE = 'state.br';

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/**
 * The states to test, the oldest release first: in a plain run that of the newest release alone. `RELEASE_STATE` names
 * another file.
 */
export function statesToTest(): readonly (readonly [version: string, file: string])[] {
  const { RELEASE_STATE: file, THOROUGH } = process.env;
  if (file !== undefined) return [[file, file]];
  const names = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  return names
    .filter((name) => existsSync(join(FOLDER, name, STATE)))
    .sort(byVersion)
    .slice(Number(THOROUGH ?? 1) > 1 ? 0 : -1)
    .map((version) => [version, join(FOLDER, version, STATE)] as const);
}
