/** The CPU and memory of a process as Linux counts them (proc(5), `stat` and `status`); NaN on other systems. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second that `stat` counts in: 100 wherever Node runs (sysconf(3), `_SC_CLK_TCK`). */
const TICKS = 100;

/** The fields of `stat` from the third on: the second is a name in parentheses, which may hold anything. */
const fieldsOf = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** User and system time of all threads so far, milliseconds. */
export function cpuMsOf(pid: number): number {
  try {
    const fields = fieldsOf(pid);
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return Number.NaN;
  }
}

/** Resident memory, megabytes. */
export function residentMbOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1000;
  } catch {
    return Number.NaN;
  }
}

/** The process below this one that runs the embedded database; 0 when it cannot be found. */
export function enginePid(endpoint: string): number {
  try {
    const port = new URL(endpoint).port;
    const process = readdirSync('/proc').find((name) => {
      if (!/^\d+$/.test(name)) return false;
      const [program = '', ...args] = commandOf(name);
      return program.endsWith('dynoxide') && args.includes(port);
    });
    return Number(process ?? 0);
  } catch {
    return 0;
  }
}

function commandOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
