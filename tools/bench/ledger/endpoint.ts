/** The same costs through the whole chat endpoint, in front of the simulated upstream as a process of its own. */
import { randomUUID } from 'node:crypto';
import { startUpstreamProcess } from '../../simulators/models/models-process.ts';
import type { Database } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { auditOf, type BenchAccount, openAccount } from '../harness/service/account.ts';
import { applyCatalog } from '../harness/service/bench-catalog.ts';
import { localCatalog, MODEL } from '../harness/service/chat.ts';
import { ROUNDS_BEFORE, waitForQuietMinute } from './call.ts';
import { measureOwnCpu } from './own-cpu.ts';
import { callRecorder, type RecordedCall } from './recorder.ts';

const BODY = {
  model: MODEL,
  max_tokens: 16,
  messages: [
    { role: 'system', content: 'Answer in one sentence.' },
    { role: 'user', content: 'What does a gateway do between a caller and the models that it can reach?' },
  ],
};

/** The design's budget of a keyed call. */
const ROUNDS_AFTER = 2;
const WRITE_UNITS = 5;

/** Three calls, and the simulated upstream's own pace. */
const NEEDED_MS = 5_000;

export async function measureEndpoint(database: Database): Promise<readonly BenchMetric[]> {
  const upstream = await startUpstreamProcess(0, () => {});
  try {
    const clients = database.connect();
    await applyCatalog(database, localCatalog(upstream.url));
    const account = await openAccount(clients, database.environment);
    const metrics = [
      ...(await measureCost(database, account)),
      ...(await measureOwnCpu(database, account, BODY)),
    ];
    const { drift, held } = await auditOf(clients, database.environment, account.accountId);
    const off = { name: 'endpoint: drift and holds left', value: Number(drift + held) };
    return [...metrics, { ...off, unit: 'nano-USD', most: 0 }];
  } finally {
    await upstream.stop();
  }
}

async function measureCost(database: Database, account: BenchAccount): Promise<readonly BenchMetric[]> {
  const call = callRecorder(database, account, BODY);
  await waitForQuietMinute(NEEDED_MS);
  await call();
  const [plain, keyed] = [await call(), await call({ 'idempotency-key': randomUUID() })];
  return [
    ...metricsOf('endpoint', plain, [ROUNDS_BEFORE, ROUNDS_AFTER, WRITE_UNITS]),
    ...metricsOf('endpoint, with an Idempotency-Key', keyed, [ROUNDS_BEFORE + 1]),
  ];
}

const metricsOf = (name: string, { before, after }: RecordedCall, bounds: readonly number[]): BenchMetric[] =>
  [
    { name: `${name}: before the upstream`, value: before.rounds, unit: 'rounds' },
    { name: `${name}: after the upstream`, value: after.rounds, unit: 'rounds' },
    { name: `${name}: a call`, value: before.writeUnits + after.writeUnits, unit: 'write units' },
  ].map((metric, at) => ({ ...metric, ...(bounds[at] === undefined ? {} : { most: bounds[at] }) }));
