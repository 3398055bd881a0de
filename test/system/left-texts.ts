/** The texts that a service leaves on its machine: its output and its files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from './service.ts';

const PRINTED = 'the output';

export class LeftTexts {
  readonly #texts: ReadonlyMap<string, string>;

  constructor({ output, directory }: Service, files: readonly string[] = []) {
    const own = readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    this.#texts = new Map([
      [PRINTED, output],
      ...[...own, ...files].map((path) => [path, readLeft(path)] as const),
    ]);
  }

  /** Returns the locations of a text: `printed` for the output, and the files that contain it. */
  find(text: string): { readonly printed: boolean; readonly files: readonly string[] } {
    const files = [...this.#texts].filter(([name, left]) => name !== PRINTED && left.includes(text));
    return {
      printed: this.#texts.get(PRINTED)?.includes(text) ?? false,
      files: files.map(([name]) => name),
    };
  }
}

/** The text of a file; nothing of one that was removed after it was listed: the services of other tests have theirs there. */
function readLeft(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw failure;
  }
}

export const NOWHERE = { printed: false, files: [] };
