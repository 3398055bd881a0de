/** The same costs through the whole chat endpoint, in front of the simulated upstream as a process of its own. */
import { randomUUID } from 'node:crypto';
import { startUpstreamProcess } from '../../simulators/models/models-process.ts';
import type { BenchMetric } from '../harness/report.ts';
import { auditOf, type BenchAccount, openAccount } from '../harness/service/account.ts';
import { applyCatalog, callChat, composeChat, MODEL } from '../harness/service/chat.ts';
import { backgroundTables, type Database } from '../harness/service/database.ts';
import { Traffic, type TrafficCounts } from '../harness/service/traffic.ts';
import { waitForQuietMinute } from './call.ts';
import { ROUNDS_AFTER, ROUNDS_BEFORE, WRITE_UNITS } from './call-cost.ts';
import { measureOwnCpu } from './own-cpu.ts';
import { Recorder } from './recorder.ts';

const BODY = {
  model: MODEL,
  max_tokens: 16,
  messages: [
    { role: 'system', content: 'Answer in one sentence.' },
    { role: 'user', content: 'What does a gateway do between a caller and the models that it can reach?' },
  ],
};

/** Three calls, and the simulated upstream's own pace. */
const NEEDED_MS = 5_000;

export async function measureEndpoint(database: Database): Promise<readonly BenchMetric[]> {
  const upstream = await startUpstreamProcess(0, () => {});
  try {
    const clients = database.connect();
    await applyCatalog(clients, database.environment, upstream.url);
    const account = await openAccount(clients, database.environment);
    const metrics = [
      ...(await measureCost(database, account)),
      ...(await measureOwnCpu({ database, account, body: BODY })),
    ];
    const { drift, held, unproven } = await auditOf(clients, database.environment, account.accountId);
    const off = Number(drift + held) + unproven;
    return [...metrics, { name: 'endpoint: drift and holds left', value: off, unit: 'nano-USD', most: 0 }];
  } finally {
    await upstream.stop();
  }
}

interface CallCost {
  readonly before: TrafficCounts;
  readonly after: TrafficCounts;
}

async function measureCost(
  database: Database,
  { credential }: BenchAccount,
): Promise<readonly BenchMetric[]> {
  const clients = database.connect();
  const recorder = new Recorder(new Traffic(clients, backgroundTables(database)));
  const handler = composeChat({ clients, environment: database.environment, fetch: recorder.fetch });
  const cost = async (headers: Record<string, string> = {}): Promise<CallCost> => {
    recorder.start();
    await (await callChat(handler, { credential, body: BODY, headers })).text();
    return recorder.end();
  };
  await waitForQuietMinute(NEEDED_MS);
  await cost();
  const plain = await cost();
  const keyed = await cost({ 'idempotency-key': randomUUID() });
  const units = ({ before, after }: CallCost) => before.writeUnits + after.writeUnits;
  const rounds = 'rounds';
  const label = 'endpoint, with an Idempotency-Key';
  return [
    { name: 'endpoint: before the upstream', value: plain.before.rounds, unit: rounds, most: ROUNDS_BEFORE },
    { name: 'endpoint: after the upstream', value: plain.after.rounds, unit: rounds, most: ROUNDS_AFTER },
    { name: 'endpoint: a call', value: units(plain), unit: 'write units', most: WRITE_UNITS },
    {
      name: `${label}: before the upstream`,
      value: keyed.before.rounds,
      unit: rounds,
      most: ROUNDS_BEFORE + 1,
    },
    { name: `${label}: after the upstream`, value: keyed.after.rounds, unit: rounds },
    { name: `${label}: a call`, value: units(keyed), unit: 'write units' },
  ];
}
