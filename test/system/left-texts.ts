/** The texts that a service leaves on its machine: its output and its files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from './service.ts';

const PRINTED = 'the output';

export class LeftoverTexts {
  readonly #stringsByItem: ReadonlyMap<string, string>;

  constructor({ output, directory }: Service, files: readonly string[] = []) {
    const ownFiles = readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    this.#stringsByItem = new Map([
      [PRINTED, output],
      ...[...ownFiles, ...files].map((path) => [path, readLeft(path)] as const),
    ]);
  }

  /** Returns the locations of a text: `printed` for the output, and the files that contain it. */
  find(text: string): { readonly printed: boolean; readonly files: readonly string[] } {
    const files = [...this.#stringsByItem].filter(
      ([name, content]) => name !== PRINTED && content.includes(text),
    );
    return {
      printed: this.#stringsByItem.get(PRINTED)?.includes(text) ?? false,
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
