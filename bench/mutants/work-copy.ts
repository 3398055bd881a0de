/** A copy of the repository in a temporary folder, in which a mutant is run: nothing is ever changed in the original. */
import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What git ignores and no test reads. */
const LEFT_OUT = new Set(['.git', '.build', '.local', 'cdk.out', 'coverage', 'node_modules', 'test-results']);

export interface TestRun {
  /** `ended` says that it took too long. */
  readonly outcome: 'passed' | 'failed' | 'ended';
  /** The first test that failed, as its file and title. */
  readonly failure?: string;
  readonly seconds: number;
  /** Of each file that ran. */
  readonly secondsOf: ReadonlyMap<string, number>;
}

interface JestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
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

  write(path: string, text: string): void {
    writeFileSync(join(this.#folder, path), text);
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
    rmSync(file, { force: true });
    const startedMs = performance.now();
    const child = spawn(
      process.execPath,
      [
        ...JEST,
        '--selectProjects',
        ring,
        '--runInBand',
        '--bail',
        '--json',
        `--outputFile=${file}`,
        '--runTestsByPath',
        ...paths,
      ],
      { cwd: this.#folder, stdio: 'ignore', detached: true },
    );
    const { promise: exited, resolve } = Promise.withResolvers<void>();
    child.once('exit', () => resolve());
    let ended = false;
    const timer = setTimeout(() => {
      ended = true;
      endGroup(child.pid);
    }, limitSeconds * 1000);
    await exited;
    clearTimeout(timer);
    // Servers and databases that the tests have started and left.
    endGroup(child.pid);
    const seconds = (performance.now() - startedMs) / 1000;
    if (ended) return { outcome: 'ended', seconds, secondsOf: new Map() };
    if (!existsSync(file))
      return {
        outcome: 'failed',
        failure: 'the process of the tests crashes',
        seconds,
        secondsOf: new Map(),
      };
    const report = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    const secondsOf = new Map(
      report.testResults.map(({ name, startTime, endTime }) => [
        name.slice(this.#folder.length + 1),
        (endTime - startTime) / 1000,
      ]),
    );
    if (report.success) return { outcome: 'passed', seconds, secondsOf };
    return { outcome: 'failed', failure: this.#failureIn(report), seconds, secondsOf };
  }

  #failureIn({ testResults }: JestReport): string {
    const failed = testResults.find(({ status }) => status === 'failed');
    const title = failed?.assertionResults.find(({ status }) => status === 'failed')?.fullName;
    return `${failed?.name.slice(this.#folder.length + 1)}: ${title ?? 'does not run'}`;
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

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group runs any more.
  }
}
