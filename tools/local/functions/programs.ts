/** Starts the programs of the service, whose output the terminal shows. */
import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { formatLogLine } from './log-lines.ts';

export interface ProgramOptions {
  /** The name of the program for people. */
  readonly label: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export function startProgram(file: string, { label, environment, log }: ProgramOptions): ChildProcess {
  const child = fork(file, {
    env: environment,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A group of its own: Ctrl-C in the terminal must reach the runtime alone, which lets calls end first.
    detached: true,
  });
  for (const output of [child.stdout, child.stderr]) {
    if (output === null) continue;
    createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const formatted = formatLogLine(label, line);
      if (formatted !== undefined) log(formatted);
    });
  }
  return child;
}
