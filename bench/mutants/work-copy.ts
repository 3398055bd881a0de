/** A copy of the repository in a temporary folder, in which a mutant is run: nothing is ever changed in the original. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** What git ignores and no test reads. */
const LEFT_OUT = new Set(['.git', '.build', '.local', 'cdk.out', 'coverage', 'node_modules', 'test-results']);

export interface TestRun {
  /** `ended` says that it took too long. */
  readonly outcome: 'passed' | 'failed' | 'ended';
  /** The first test that failed, as its file and title. */
  readonly failure?: string;
  /** Of each file of a run that passed. */
  readonly secondsOf: ReadonlyMap<string, number>;
}

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

export class WorkCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mutants-'));

  constructor(root: string) {
    cpSync(root, this.#folder, {
      recursive: true,
      filter: (path) => !LEFT_OUT.has(path.slice(root.length + 1)),
    });
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
    mkdirSync(join(this.#folder, 'test-results'));
  }

  read(path: string): string {
    return readFileSync(join(this.#folder, path), 'utf8');
  }

  write(path: string, content: string): void {
    writeFileSync(join(this.#folder, path), content);
  }

  /** The test files of a ring, from the root. */
  async testsOf(ring: string): Promise<string[]> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...JEST, '--selectProjects', ring, '--listTests'],
      { cwd: this.#folder },
    );
    return stdout
      .split('\n')
      .filter((line) => line.startsWith(this.#folder))
      .map((line) => line.slice(this.#folder.length + 1));
  }

  /** Runs test files one after the other in one process, up to the first that fails or to the limit of time. */
  async test(ring: string, paths: readonly string[], limitSeconds: number): Promise<TestRun> {
    const file = join(this.#folder, 'test-results', 'run.json');
    const options = ['--selectProjects', ring, '--runInBand', '--bail', '--json', `--outputFile=${file}`];
    const child = spawn(process.execPath, [...JEST, ...options, '--runTestsByPath', ...paths], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let ended = false;
    const timer = setTimeout(() => {
      ended = true;
      endGroup(child.pid);
    }, limitSeconds * 1000);
    const { promise: exited, resolve } = Promise.withResolvers<number | null>();
    child.once('exit', resolve);
    const output = text(child.stderr);
    const code = await exited;
    clearTimeout(timer);
    // Servers and databases that the tests have started and left.
    endGroup(child.pid);
    if (ended) return { outcome: 'ended', secondsOf: new Map() };
    if (code !== 0) return { outcome: 'failed', failure: failureIn(await output), secondsOf: new Map() };
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    const secondsOf = testResults.map(
      ({ name, startTime, endTime }) =>
        [name.slice(this.#folder.length + 1), (endTime - startTime) / 1000] as const,
    );
    return { outcome: 'passed', secondsOf: new Map(secondsOf) };
  }

  /** Whether the compiler takes the copy as it is. */
  async compiles(): Promise<boolean> {
    const compiler = join('node_modules', '.bin', 'tsc');
    return promisify(execFile)(compiler, ['-p', '.'], { cwd: this.#folder }).then(
      () => true,
      () => false,
    );
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  join('node_modules', 'jest', 'bin', 'jest.js'),
];

/** The first failed file and test of jest's output, which is all that it writes when it stops at a failure. */
const failureIn = (output: string): string =>
  [/^FAIL \S+ (\S+)/m, /^ {2}\u25cf (.*)$/m].map((line) => line.exec(output)?.[1] ?? '').join(': ');

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group runs any more.
  }
}
