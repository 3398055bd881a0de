/** A reporter of jest: writes each test file that passes, its seconds and the lines it runs, to a file. */
import { appendFileSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

export { CoverageReporter as default };

/** The environment variable that names the file: jest gives no options to a reporter of its command line. */
export const COVERAGE_FILE = 'MUTANTS_COVERAGE_FILE';

/** A line of what the reporter writes; paths are absolute. */
export interface CoveredTest {
  readonly path: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** The lines in which code ran, from 1, of each measured module. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

/** The counts of V8 for one script, with its text. */
interface Script {
  readonly result: {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  };
  readonly codeTransformResult?: { readonly code: string; readonly sourceMapPath?: string | null };
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface TestResult {
  readonly testFilePath: string;
  readonly numFailingTests: number;
  readonly testExecError?: unknown;
  readonly perfStats: { readonly start: number; readonly end: number };
  readonly v8Coverage?: readonly Script[];
}

class CoverageReporter {
  /** The line in the source of every character that runs, by the text that runs. */
  readonly #linesOf = new Map<string, Uint32Array>();

  onTestResult(_test: unknown, result: TestResult): void {
    const { testFilePath: path, numFailingTests, testExecError, perfStats, v8Coverage = [] } = result;
    const covered: CoveredTest = {
      path,
      passed: numFailingTests === 0 && testExecError === undefined,
      seconds: (perfStats.end - perfStats.start) / 1000,
      lines: Object.fromEntries(v8Coverage.map((script) => [script.result.url, this.#linesIn(script)])),
    };
    appendFileSync(process.env[COVERAGE_FILE] ?? '', `${JSON.stringify(covered)}\n`);
  }

  #linesIn({ result, codeTransformResult }: Script): number[] {
    if (codeTransformResult === undefined) return [];
    const { code, sourceMapPath } = codeTransformResult;
    const key = sourceMapPath ?? result.url;
    const lines = this.#linesOf.get(key) ?? linesOfCharacters(code, sourceMapPath);
    this.#linesOf.set(key, lines);
    const ran = charactersRun(code.length, result.functions);
    return [...new Set(lines.filter((_line, at) => ran[at] === 1))].sort((a, b) => a - b);
  }
}

/** V8 names an outer range before those within it. */
export function charactersRun(length: number, functions: Script['result']['functions']): Uint8Array {
  const ran = new Uint8Array(length);
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
    ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return ran;
}

/** From 1; blanks and closing brackets belong to the line of 0, since they say nothing about what ran. */
function linesOfCharacters(code: string, mapPath: string | null | undefined): Uint32Array {
  const map =
    typeof mapPath === 'string' ? new SourceMap(JSON.parse(readFileSync(mapPath, 'utf8'))) : undefined;
  const lines = new Uint32Array(code.length);
  let at = 0;
  for (const [index, text] of code.split('\n').entries()) {
    for (let column = 0; column < text.length; column += 1, at += 1) {
      if (/[\s)\]};,]/.test(text.charAt(column))) continue;
      const entry = map?.findEntry(index, column);
      lines[at] = (entry !== undefined && 'originalLine' in entry ? entry.originalLine : index) + 1;
    }
    at += 1;
  }
  return lines;
}
