/** Runs a DynamoDB, the embedded one or another program, as a child process that cannot outlive this one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../process/free-port.ts';

export interface DynamoEngine {
  /** Such as `http://127.0.0.1:40123`. */
  readonly endpoint: string;
  /** Rejects when the engine ends by itself; never settles otherwise. */
  readonly failure: Promise<never>;
  stop(): Promise<void>;
}

/** The engine answers after about 20 ms; a slow disk may take seconds, a broken file for ever. */
const START_TIMEOUT_MS = 10_000;

/** Between two looks at a starting engine. */
const POLL_MS = 5;

/** Another process can take the free port before the engine does; more than one such accident is unlikely. */
const ATTEMPTS = 3;

/** The platforms that the embedded engine is published for. An optional dependency of this workspace has each binary. */
export const ENGINE_PLATFORMS: readonly string[] = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64',
  'linux-x64',
  'win32-x64',
];

/**
 * Ends the engine when this process goes, however it goes: its standard input is a pipe whose other end only we hold,
 * and `kill -9` closes it too.
 */
const GUARD = `
exec 3<&0
"$0" "$@" 3<&- &
engine=$!
(cat <&3 >/dev/null; kill "$engine") 2>/dev/null &
exec 3<&-
wait "$engine"
`;

export interface EngineOptions {
  /** The file of the tables; they are in memory if it is not set. */
  readonly databaseFile?: string;
  /** A DynamoDB that runs already, to be used instead. */
  readonly endpoint?: string | undefined;
}

/** Starts the engine on a free loopback port, or gives the one that `endpoint` names. */
export async function startEngine({ databaseFile, endpoint }: EngineOptions): Promise<DynamoEngine> {
  if (endpoint !== undefined) {
    await waitForResponse(endpoint, `DYNAMODB_ENDPOINT: ${endpoint}`, START_TIMEOUT_MS);
    return { endpoint, failure: new Promise(() => {}), stop: async () => {} };
  }
  const storage = databaseFile === undefined ? [] : ['--db-path', databaseFile];
  const command = [engineBinary(), 'serve', '--host', '127.0.0.1', ...storage, '--port'];
  return launchEngine('the embedded DynamoDB', command, START_TIMEOUT_MS);
}

/**
 * Runs a DynamoDB as a child process; the command is without its last argument, the port. Throws when it ends, or when
 * it does not answer within `startMs`.
 */
export async function launchEngine(
  name: string,
  command: readonly string[],
  startMs: number,
): Promise<DynamoEngine> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(name, command, startMs);
    } catch (cause) {
      if (attempt === ATTEMPTS) throw cause;
    }
  }
}

/**
 * Returns the binary of the platform that this process runs on, from the package that `npm ci` installs for it. Throws
 * an error that names the platform, and the supported platforms or the missing package.
 */
export function engineBinary(
  platform = `${process.platform}-${process.arch}`,
  resolve: (file: string) => string = createRequire(import.meta.url).resolve,
): string {
  const other = 'start another DynamoDB and set its address, as in DYNAMODB_ENDPOINT=http://127.0.0.1:8000';
  if (!ENGINE_PLATFORMS.includes(platform)) {
    const supported = ENGINE_PLATFORMS.join(', ');
    throw new Error(`the embedded DynamoDB supports ${supported}, not ${platform}: ${other}`);
  }
  const name = `@dynoxide/${platform}`;
  try {
    return resolve(`${name}/dynoxide${platform.startsWith('win32') ? '.exe' : ''}`);
  } catch (cause) {
    throw new Error(`${name}, the embedded DynamoDB, is not installed: run npm ci again, or ${other}`, {
      cause,
    });
  }
}

async function launch(name: string, command: readonly string[], startMs: number): Promise<DynamoEngine> {
  const port = await freePort();
  const engine = spawn('sh', ['-c', GUARD, ...command, String(port)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // A group of its own: Ctrl-C in the terminal must reach this process alone, which lets calls end first.
    detached: true,
  });
  let complaint = '';
  engine.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-1000);
  });
  let stopping = false;
  const closed = once(engine, 'close').catch((cause) => {
    throw new Error(`${name} needs a POSIX shell, sh, which did not start: on Windows, use WSL`, { cause });
  });
  const failure = closed.then(([code]) => {
    if (stopping) return new Promise<never>(() => {});
    throw new Error(`${name} ended (exit code ${code}): ${complaint.trim()}`);
  });
  failure.catch(() => {});
  const stop = async (): Promise<void> => {
    stopping = true;
    engine.stdin.end();
    await closed.catch(() => {});
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([waitForResponse(endpoint, name, startMs), failure]);
  } catch (cause) {
    await stop();
    throw cause;
  }
  return { endpoint, failure, stop };
}

async function waitForResponse(endpoint: string, name: string, startMs: number): Promise<void> {
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline) {
    try {
      await fetch(endpoint, { signal: AbortSignal.timeout(1000) });
      return;
    } catch {
      await sleep(POLL_MS);
    }
  }
  throw new Error(`${name} did not answer within ${startMs / 1000} s`);
}
