/** Tells whether the process that wrote a file is still running, although its id may since belong to another. */
import { readFileSync, statSync } from 'node:fs';

/** Clock ticks a second in `/proc` (a constant of Linux's user interface). */
const TICKS_PER_SECOND = 100;

/** The kernel's boot time is a whole second, and so is a start time that derives from it. */
const TOLERANCE_MS = 2000;

/** Whether `pid` runs and began before `file` was last written; without `/proc`, whether it runs. */
export function isWriterAlive(pid: number, file: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const startedMs = processStartMs(pid);
  return startedMs === undefined || startedMs <= statSync(file).mtimeMs + TOLERANCE_MS;
}

/** proc(5): `/proc/<pid>/stat` field 22, in ticks since boot; the name in field 2 may hold spaces. */
function processStartMs(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const bootSeconds = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
    const startMs = (bootSeconds + Number(fields[19]) / TICKS_PER_SECOND) * 1000;
    return Number.isFinite(startMs) ? startMs : undefined;
  } catch {
    return undefined;
  }
}
