/** The processes of a running service, by what they run (proc(5); Linux only). */
import { readdirSync, readFileSync } from 'node:fs';

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The processes that a service has started and whose command line and environment have these texts. */
export function processesOf(servicePid: number, program: string, variable = ''): readonly number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) =>
      read(pid, 'stat')
        .replace(/^.*\) \S+ /s, '')
        .startsWith(`${servicePid} `),
    )
    .filter((pid) => read(pid, 'cmdline').includes(program) && read(pid, 'environ').includes(variable))
    .map(Number);
}

/** Resident memory now and at its highest, MB. */
export function memoryOf(pid: number): { readonly nowMb: number; readonly peakMb: number } {
  const status = read(String(pid), 'status');
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
  return { nowMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}
