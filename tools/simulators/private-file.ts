/** Files that only their owner can read. */
import { renameSync, writeFileSync } from 'node:fs';

/** Replaces the file as a whole. */
export function writePrivately(file: string, content: unknown): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 });
  renameSync(temporary, file);
}
