/** Programs of `examples`, each run as its user runs it: from the root, and with the variables that it names alone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { Payer } from './payer.ts';
import type { Service } from './service.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The Node.js of a user's shell, which may be as old as README allows: npm puts that of this repository before it. */
export const USERS_NODE: string =
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .find(isExecutable) ?? process.execPath;

/** The lines in which a program prints the cost of a call. */
const COST = /^(?:Charged|Streamed.* for) \$(\d+\.\d{9})/gm;

type Variables = Readonly<Record<string, string>>;

interface PaidOptions {
  /** The interpreter, by default the user's Node.js. */
  readonly interpreter?: string;
  readonly MODEL?: string;
}

/** Runs a program to its end; returns its exit code and its output. */
export async function runExample(program: string, env: Variables, interpreter = USERS_NODE) {
  const child = spawn(interpreter, [program], { cwd: ROOT, env });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await closed) as [number | null];
  return { status, stdout, stderr };
}

/** Asserts that a program without variables ends with a sentence that names one of them. */
export async function expectMissing(program: string, variable: string, interpreter?: string): Promise<void> {
  const stderr = expect.stringMatching(new RegExp(`^Set .*${variable}.*\n$`));
  expect(await runExample(program, {}, interpreter)).toMatchObject({ status: 1, stdout: '', stderr });
}

/**
 * Returns the output of a program, and the costs that it printed. Asserts that they are two, and all that its account, a
 * new one, was charged.
 */
export async function paidOutput(service: Service, program: string, options: PaidOptions = {}) {
  const { interpreter, ...env } = options;
  const payer = await Payer.open(service, '1');
  const variables = { ...env, BASE_URL: service.session.base_url, API_KEY: payer.key };
  const { status, stdout, stderr } = await runExample(program, variables, interpreter);
  expect([status, stderr]).toEqual([0, '']);
  const costs = [...stdout.matchAll(COST)].map(([, usd]) => Math.round(Number(usd) * 1e9));
  expect(costs).toEqual([expect.any(Number), expect.any(Number)]);
  const charged = costs.reduce((sum, cost) => sum + cost, 0);
  expect(charged).toBeGreaterThan(0);
  expect(await payer.wallet()).toEqual({ balance: 1e9 - charged, held: 0 });
  return { stdout, costs };
}

/** Asserts the lines of both versions of the OpenAI example. */
export function expectCallsOfOpenAi(stdout: string): void {
  const [, first, second] =
    /^First attempt: (.+)\nCharged .+\nSecond attempt: (.+)\nReplayed for nothing/m.exec(stdout) ?? [];
  expect(first).toMatch(/\w/);
  expect(second).toBe(first);
  expect(stdout).toMatch(/^Rejected: 400 model_not_found \(model\), request req_\w+\.$/m);
}

/** Ends what a test has started. */
export const ends: (() => void)[] = [];

/** Starts a program that listens; returns its process and a function that returns its output. */
export async function start(program: string, env: Record<string, string>) {
  const child = spawn(USERS_NODE, [program], { cwd: ROOT, env });
  ends.push(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  await until(
    () => output,
    (text) => text.includes('Listening') || child.exitCode !== null,
  );
  return { child, output: () => output };
}

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

export async function endByItself(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
}
