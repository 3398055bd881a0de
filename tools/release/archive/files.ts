/** The files of an archive. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface ArchivedFile {
  /** The path in the archive, with `/`. */
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

export const textFile = (path: string, text: string): ArchivedFile => ({
  path,
  content: Buffer.from(text),
  isExecutable: false,
});

/** Reads a file, or all files in a folder; `path` is where the archive has it. */
export function filesIn(source: string, path: string): readonly ArchivedFile[] {
  const stats = statSync(source);
  if (!stats.isDirectory())
    return [{ path, content: readFileSync(source), isExecutable: (stats.mode & 0o100) !== 0 }];
  return readdirSync(source).flatMap((name) =>
    filesIn(join(source, name), path === '' ? name : `${path}/${name}`),
  );
}
