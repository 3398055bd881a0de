/** The files by which a local service is found, and by which two do not run on the same state. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWriterAlive } from './process-liveness.ts';
import { acquireLock, holderOf, LockHeld } from './process-lock.ts';

/** The content of `session.json` for clients and tests. */
export interface SessionFile {
  readonly base_url: string;
  readonly platform_url: string;
  readonly api_key: string;
  readonly session_token: string;
  readonly upstream_control_url: string;
  readonly pid: number;
}

/** The content of `runtime.json` for the operator's command. */
export interface RuntimeRecord {
  readonly aws_endpoint: string;
  readonly dynamodb_endpoint: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

const SESSION = 'session.json';
const RUNTIME = 'runtime.json';
const LOCK = 'service.lock';

/** Makes the folder (mode 0700) and takes it for this process; throws an error that says who has it. */
export function occupy(stateDir: string): () => void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  } catch (failure) {
    throw new Error(
      `cannot make the folder ${stateDir} (${(failure as Error).message}); set LOCAL_DIR to one that can be written`,
    );
  }
  try {
    const release = acquireLock(join(stateDir, LOCK));
    rmSync(join(stateDir, SESSION), { force: true });
    return release;
  } catch (failure) {
    if (failure instanceof LockHeld) {
      throw new Error(
        `a service runs on ${stateDir} already (process ${failure.pid}); stop it, or set LOCAL_DIR to another folder`,
      );
    }
    throw failure;
  }
}

/** The process of the service that runs on the folder, if one does. */
export function runningService(stateDir: string): number | undefined {
  return holderOf(join(stateDir, LOCK)) ?? sessionProcess(join(stateDir, SESSION));
}

function sessionProcess(file: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as SessionFile;
    return isWriterAlive(pid, file) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Announces a ready service; the session appears last and whole. */
export function announce(stateDir: string, runtime: RuntimeRecord, session: SessionFile): void {
  writeAtomically(join(stateDir, RUNTIME), runtime);
  writeAtomically(join(stateDir, SESSION), session);
}

/** Takes the announcement back: there is no service to find. */
export function retract(stateDir: string): void {
  rmSync(join(stateDir, SESSION), { force: true });
}

function writeAtomically(file: string, content: object): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
