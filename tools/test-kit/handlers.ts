/** The modules of the functions. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns the path of the handler of a function. Throws if there is not exactly one. */
export function handlerOf(name: string): string {
  const paths = globSync(`lambdas/*/{endpoints,consumers}/${name}/handler.ts`, { cwd: ROOT });
  if (paths.length !== 1) throw new Error(`${name} has ${paths.length} handlers`);
  return join(ROOT, String(paths[0]));
}
