/** A lock that dies with its process: a file that holds the process's id. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isWriterAlive } from './process-liveness.ts';

/** Held by another process that runs. */
export class LockHeld extends Error {
  override readonly name = 'LockHeld';
  readonly pid: number;

  constructor(pid: number) {
    super(`held by process ${pid}`);
    this.pid = pid;
  }
}

/** Takes the lock and returns its release; throws `LockHeld`. A lock whose process is gone is taken over. */
export function acquireLock(file: string): () => void {
  const lockFile = `${file}.${process.pid}`;
  writeFileSync(lockFile, String(process.pid));
  try {
    claim(lockFile, file);
  } finally {
    rmSync(lockFile, { force: true });
  }
  return () => {
    if (holderOf(file) === process.pid) rmSync(file, { force: true });
  };
}

/** The process that holds the lock, if one does. */
export function holderOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 && isWriterAlive(pid, file) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** A link is made whole or not at all, so nobody reads a lock that has no id in it yet. */
function claim(lockFile: string, file: string): void {
  try {
    linkSync(lockFile, file);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
    const holder = holderOf(file);
    if (holder !== undefined) throw new LockHeld(holder);
    rmSync(file, { force: true });
    linkSync(lockFile, file);
  }
}
