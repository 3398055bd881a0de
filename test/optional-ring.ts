/** A ring that needs more than Node: it runs with the tools that were installed, or says in a line why it is skipped. */
import { runJest } from './jest.ts';

/** Runs the tests of the ring, with the arguments of this process; returns jest's exit code. */
export const runRing = (name: string, environment: Readonly<Record<string, string>>): number =>
  runJest(name, ['--selectProjects', name, ...process.argv.slice(2)], environment);

/** Prints the reason, and the last line that the failed command printed. */
export function skipRing(name: string, reason: string, failure: unknown): void {
  const { stderr, stdout, message } = failure as { stderr?: Buffer; stdout?: Buffer; message: string };
  const lines = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n');
  const bar = '*'.repeat(100);
  console.error(`${bar}\nSKIPPED: the ${name} ring, because ${reason}.`);
  console.error(`${lines.at(-1) || message}\n${bar}`);
}
