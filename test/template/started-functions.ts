/**
 * Starts of functions as Lambda starts them, except that one process of Node does all: each runs the handler's module
 * afresh in its own environment. The process ends before what the modules begin to read has failed.
 */
import { execFileSync } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface FunctionStart {
  /** The path of the handler's module. */
  readonly module: string;
  /** The variables of the contract that the function is given. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface StartResult {
  /** The variables of the contract that the module reads. */
  readonly read: readonly string[];
  /** The message of the failure; absent if the module exports a handler. */
  readonly error?: string;
}

interface Input {
  /** Every variable of the contract. */
  readonly names: readonly string[];
  readonly starts: readonly FunctionStart[];
}

/** Modules that begin to read while they load find no service. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_MAX_ATTEMPTS: '1',
  AWS_EC2_METADATA_DISABLED: 'true',
  LOG_LEVEL: 'SILENT',
};

/** Starts the functions in a separate process; returns a result for each start, in the same order. */
export function startFunctions(names: readonly string[], starts: readonly FunctionStart[]): StartResult[] {
  const output = execFileSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', import.meta.filename],
    {
      input: JSON.stringify({ names, starts } satisfies Input),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return JSON.parse(output) as StartResult[];
}

async function startOne(
  { module, variables }: FunctionStart,
  names: ReadonlySet<string>,
  index: number,
): Promise<StartResult> {
  const outer = process.env;
  const read = new Set<string>();
  // Another object: what handlers of one process have in common is made once for each environment.
  process.env = new Proxy(
    {},
    {
      get(_target, name: string) {
        if (!names.has(name)) return UNREACHABLE[name] ?? outer[name];
        read.add(name);
        return variables[name];
      },
    },
  );
  try {
    const { handler } = (await import(`${module}?start=${index}`)) as { handler?: unknown };
    return { read: [...read], ...(handler === undefined ? { error: 'the module has no handler' } : {}) };
  } catch (failure) {
    return { read: [...read], error: String(failure) };
  } finally {
    process.env = outer;
  }
}

async function main(): Promise<void> {
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler } });
  const { names, starts } = JSON.parse(await text(process.stdin)) as Input;
  const results: StartResult[] = [];
  for (const [index, start] of starts.entries()) results.push(await startOne(start, new Set(names), index));
  process.stdout.write(JSON.stringify(results), () => process.exit());
}

if (process.argv[1] === import.meta.filename) void main();
