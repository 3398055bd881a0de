/** A copy of the repository in a temporary folder, in which a mutant is run: nothing is ever changed in the original. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COVERAGE_FILE, type CoveredTest } from './coverage-reporter.ts';

/** The folders that git ignores and no test reads. */
const LEFT_OUT = new Set(['.git', '.build', '.local', 'cdk.out', 'coverage', 'node_modules', 'test-results']);

export interface TestRun {
  /** `ended` says that a file took too long. */
  readonly outcome: 'passed' | 'failed' | 'ended';
  /** The first test that failed, as its file and title. */
  readonly failure?: string;
  /** The number of files that passed before. */
  readonly passed: number;
}

/** A test file, and the seconds that it may take; the first one's begin with the process. */
export interface LimitedTest {
  readonly path: string;
  readonly limitSeconds: number;
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

  /** Runs test files in their order in one process, up to the first that fails or takes longer than it may. */
  async test(ring: string, tests: readonly LimitedTest[]): Promise<TestRun> {
    const sequencer = join(import.meta.dirname, 'sequencer.ts');
    const paths = tests.map(({ path }) => path);
    const child = this.#jest(ring, paths, ['--runInBand', '--bail', `--testSequencer=${sequencer}`]);
    let [output, passed, hasEnded] = ['', 0, false];
    const end = () => {
      hasEnded = true;
      endGroup(child.pid);
    };
    const limitMs = () => (tests[passed]?.limitSeconds ?? ENDING_SECONDS) * 1000;
    let timer = setTimeout(end, limitMs());
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const before = passed;
      passed = output.match(/^PASS /gm)?.length ?? 0;
      if (passed === before) return;
      clearTimeout(timer);
      timer = setTimeout(end, limitMs());
    });
    const [code] = await once(child, 'close');
    clearTimeout(timer);
    // Servers and databases that the tests have started and left.
    endGroup(child.pid);
    // What has passed before it was ended has passed, even if its process hung afterwards.
    if (hasEnded && passed < tests.length) return { outcome: 'ended', passed };
    return code === 0 || hasEnded
      ? { outcome: 'passed', passed }
      : { outcome: 'failed', failure: failureIn(output), passed };
  }

  /** Runs test files to their end and returns the file with a `CoveredTest` in each line. */
  async cover(
    ring: string,
    paths: readonly string[],
    modules: readonly string[],
    workers: number,
  ): Promise<string> {
    const file = join(this.#folder, 'test-results', 'covered.jsonl');
    const options = [
      `--maxWorkers=${workers}`,
      '--coverage',
      '--coverageProvider=v8',
      '--coverageReporters=none',
      ...modules.map((path) => `--collectCoverageFrom=${path}`),
      `--reporters=${join(import.meta.dirname, 'coverage-reporter.ts')}`,
    ];
    const child = this.#jest(ring, paths, options, { [COVERAGE_FILE]: file });
    child.stderr.resume();
    await once(child, 'close');
    endGroup(child.pid);
    return file;
  }

  /** Starts a process, in a group of its own, that runs test files. */
  #jest(ring: string, paths: readonly string[], options: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const args = [...JEST, '--selectProjects', ring, ...options, '--runTestsByPath', ...paths];
    return spawn(process.execPath, args, {
      cwd: this.#folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
  }

  /** Returns a covered test with paths from the root in place of the paths of the copy. */
  fromRoot({ path, lines, ...test }: CoveredTest): CoveredTest {
    const short = (long: string) => long.slice(this.#folder.length + 1);
    const entries = Object.entries(lines).map(([module, ran]) => [short(module), ran] as const);
    return { ...test, path: short(path), lines: Object.fromEntries(entries) };
  }

  /** Returns whether the current copy compiles. */
  async compiles(): Promise<boolean> {
    const file = join('test-results', 'compiled.tsbuildinfo');
    const args = ['-p', '.', '--incremental', '--tsBuildInfoFile', file];
    return promisify(execFile)(join('node_modules', '.bin', 'tsc'), args, { cwd: this.#folder }).then(
      () => true,
      () => false,
    );
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** For jest to end after its last file. */
const ENDING_SECONDS = 30;

const JEST = [join('node_modules', 'jest', 'bin', 'jest.js')];

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
