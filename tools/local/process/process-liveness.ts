/** The check for the process that wrote a file, although its id may since belong to another process. */
import { readFileSync, statSync } from 'node:fs';

/** Clock ticks a second in `/proc` (a constant of Linux's user interface). */
const TICKS_PER_SECOND = 100;

/** The kernel's boot time is a whole second, and so is a start time that derives from it. */
const TOLERANCE_MS = 2000;

/** proc(5): a zombie, whose parent has not collected its exit status yet, and a process being removed. */
const DEAD_STATES = ['Z', 'X'];

/**
 * Returns whether `pid` runs and started before `file` was last written; without `/proc`, whether the process exists. A
 * killed process stays listed as a zombie until its parent collects its status. The first process of a container may
 * never do this.
 */
export function isWriterAlive(pid: number, file: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const status = processStatus(pid);
  if (status === undefined) return true;
  return !DEAD_STATES.includes(status.state) && status.startedMs <= statSync(file).mtimeMs + TOLERANCE_MS;
}

/** proc(5): `/proc/<pid>/stat` fields 3 and 22, in ticks since boot; the name in field 2 may hold spaces and brackets. */
function processStatus(pid: number): { readonly state: string; readonly startedMs: number } | undefined {
  try {
    const [state = '', ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const bootSeconds = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
    const startedMs = (bootSeconds + Number(fields[18]) / TICKS_PER_SECOND) * 1000;
    return Number.isFinite(startedMs) ? { state, startedMs } : undefined;
  } catch {
    return undefined;
  }
}
