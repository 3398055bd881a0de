/** The programs that `npm run test:schema` has installed. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface EndedProcess {
  readonly exitCode: number;
  /** The output of the program, with its error output last. */
  readonly output: string;
}

/** Runs a program of the Python environment to its end, whatever its exit code; rejects when it cannot be started. */
export function runTool(
  name: string,
  words: readonly string[],
  options: {
    readonly cwd?: string;
    readonly environment?: Readonly<Record<string, string>>;
    /** The folder with the program, if it is not that of the ring's own tools. */
    readonly folder?: string | undefined;
  } = {},
): Promise<EndedProcess> {
  const folder = options.folder ?? process.env.SCHEMA_TOOLS;
  if (folder === undefined) throw new Error('SCHEMA_TOOLS is not set: run npm run test:schema');
  const env = { ...process.env, ...options.environment };
  return new Promise((resolve, reject) => {
    execFile(
      join(folder, 'python'),
      // Its own first line names the folder that the environment was made in.
      [join(folder, name), ...words],
      { cwd: options.cwd, env, maxBuffer: 1 << 28 },
      (failure, out, err) => {
        const code = failure === null ? 0 : failure.code;
        if (typeof code !== 'number') return reject(failure);
        resolve({ exitCode: code, output: `${out}${err}` });
      },
    );
  });
}
