/** The session of a local service that has been started in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../../local/process/state-folder.ts';

/** A fresh checkout bundles and synthesizes first. */
const READY_MS = 60_000;

/** Waits until the service of a state folder is ready; throws when it ends before, or is not within a minute. */
export async function readSession(folder: string, child: ChildProcess): Promise<Session> {
  const deadlineMs = Date.now() + READY_MS;
  while (Date.now() < deadlineMs && child.exitCode === null) {
    try {
      return JSON.parse(readFileSync(join(folder, 'session.json'), 'utf8')) as Session;
    } catch {
      await sleep(50);
    }
  }
  throw new Error('the service did not start');
}
