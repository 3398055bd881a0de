/** What the processes of a program use: CPU time and memory of it and of all that it has started (Linux, proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in `/proc` (a constant of Linux's user interface). */
const TICKS_PER_SECOND = 100;

const MB = 1_000_000;

export interface ProcessUse {
  /** User and system time since its start, without that of its children. */
  readonly cpuSeconds: number;
  /** Its share of the memory it has: what it shares with others counts once among all of them (`Pss`). */
  readonly memoryMb: number;
}

/** By process id: the process `root` and its descendants. Throws where there is no `/proc`. */
export function usesOf(root: number): ReadonlyMap<number, ProcessUse> {
  const found = new Map<number, { readonly parent: number; readonly cpuSeconds: number }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const status = ifThere(() => statusOf(name));
    if (status !== undefined) found.set(Number(name), status);
  }
  const descends = (pid: number): boolean => {
    const parent = found.get(pid)?.parent;
    return pid === root || (parent !== undefined && descends(parent));
  };
  return new Map(
    [...found].flatMap(([pid, { cpuSeconds }]) => {
      const memoryMb = descends(pid) ? ifThere(() => memoryOf(pid)) : undefined;
      return memoryMb === undefined ? [] : [[pid, { cpuSeconds, memoryMb }]];
    }),
  );
}

/** Nothing of a process that has ended meanwhile. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (failure) {
    if (['ENOENT', 'ESRCH'].includes((failure as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw failure;
  }
}

/** Fields 4, 14 and 15 of `stat`; the name in field 2 may hold spaces and brackets. */
function statusOf(pid: string): { readonly parent: number; readonly cpuSeconds: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const [parent = 0, user = 0, system = 0] = [1, 11, 12].map((index) => Number(fields[index]));
  return { parent, cpuSeconds: (user + system) / TICKS_PER_SECOND };
}

function memoryOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return (Number(kilobytes ?? 0) * 1024) / MB;
}
