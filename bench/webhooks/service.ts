/** The whole local service in a process of its own, for benches that load it and kill its functions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { createQueueClient } from '../../lambdas/adapters/aws/clients.ts';
import { QUEUES, type QueueName } from '../../lambdas/contract/queues.ts';
import type { Session } from '../../local/process/state-folder.ts';
import { createOperator, type Operator } from '../../operator/operator.ts';
import { readLocalTarget } from '../../operator/target.ts';
import { SILENT } from '../harness/service/account.ts';
import { readSession } from '../harness/service/session.ts';

/** Short, so that what a killed function held is taken up again while the bench waits. */
const SETTINGS = {
  PORT: '0',
  IP_RPM: '0',
  LOG_LEVEL: 'ERROR',
  WEBHOOK_ALLOW_LOOPBACK: '1',
  DELIVERY_LEASE_SECONDS: '6',
  QUEUE_VISIBILITY_SECONDS: '8',
};

export interface BenchService {
  readonly session: Session;
  readonly operator: Operator;
  /** Messages that are in a queue, in whatever state. */
  waiting(queue: QueueName): Promise<number>;
  /** Kills every process of the function; returns how many there were. */
  kill(functionName: string): number;
  close(): Promise<void>;
}

export async function openService(): Promise<BenchService> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', '..', 'local', 'start.ts')], {
    env: { ...process.env, ...SETTINGS, LOCAL_DIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const session = await readSession(folder, child);
  const target = readLocalTarget(folder);
  const operator = createOperator(target, SILENT);
  const queues = createQueueClient(target.client);
  return {
    session,
    operator,
    async waiting(queue) {
      const QueueUrl = target.environment[QUEUES[queue].variable];
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
      const { Attributes } = await queues.send(command);
      const counts: Readonly<Record<string, string | undefined>> = Attributes ?? {};
      return ['', 'NotVisible', 'Delayed'].reduce(
        (sum, state) => sum + Number(counts[`ApproximateNumberOfMessages${state}`] ?? 0),
        0,
      );
    },
    kill: (functionName) => killFunction(session.pid, functionName),
    async close() {
      operator.close();
      queues.destroy();
      const gone = once(child, 'close');
      child.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The service's children are its functions' processes (proc(5), `environ` and `stat`). */
function killFunction(servicePid: number, functionName: string): number {
  let killed = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) . /s, '')
        .split(' ');
      if (Number(parent) !== servicePid) continue;
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      if (!environment.includes(`POWERTOOLS_SERVICE_NAME=${functionName}`)) continue;
      process.kill(Number(name), 'SIGKILL');
      killed += 1;
    } catch {
      // Gone meanwhile.
    }
  }
  return killed;
}
