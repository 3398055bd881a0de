/** The files that arguments of a command name. */
import { readFileSync } from 'node:fs';

/** Returns the text of a file. Throws with its path if there is none. */
export function readNamedFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Error(`there is no file ${path}`, { cause });
  }
}
