/**
 * The CPU and the database work of a call that has a trace, of an account with alerts, at a stage that publishes them, next
 * to a call without any of it. Telemetry itself leaves by the stream of the table, of which a call sees nothing.
 */
import { createAlerts } from '../../../lambdas/ledger/store/alert-store.ts';
import { VARIABLES } from '../../../lambdas/platform/contract/environment.ts';
import { LAYOUTS } from '../../../lambdas/platform/contract/layouts.ts';
import { NANO_PER_USD } from '../../../lambdas/platform/core/money.ts';
import type { StageCheck } from '../../../lambdas/platform/core/stage-check.ts';
import { startUpstreamProcess } from '../../simulators/models/models-process.ts';
import { backgroundTables, type Database, openDatabase } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { openAccount, SILENT } from '../harness/service/account.ts';
import { applyCatalog } from '../harness/service/bench-catalog.ts';
import { callChat, composeChat, localCatalog, MODEL, readText } from '../harness/service/chat.ts';
import { Traffic } from '../harness/service/traffic.ts';
import { median } from '../harness/statistics.ts';
import { waitForQuietMinute } from '../ledger/call.ts';
import { cpuMs } from '../ledger/own-cpu.ts';

/** Blocks of both kinds alternate, so that what disturbs the machine disturbs both. */
const BLOCKS = 41;
const WARM_UP_BLOCKS = 5;

/** Two calls, of which neither may be the first of a minute. */
const NEEDED_MS = 5_000;

/** The most CPU that a call with everything may take, of one without. */
const MAX_CPU = 1.03;

const BODY = {
  model: MODEL,
  max_tokens: 16,
  messages: [{ role: 'user', content: 'What does a gateway do?' }],
};

/** An example of W3C Trace Context, 3.2. */
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const stageOf = (layoutOf: StageCheck['layoutOf']): StageCheck => ({
  check: () => undefined,
  prepare: () => undefined,
  layoutOf,
});

/** A stage that was updated, and one on which everything of this version is finished. */
const UPDATED = stageOf(() => 1);
const FINISHED = stageOf((kind) => LAYOUTS[kind as keyof typeof LAYOUTS].writes);

export async function measureCalls(): Promise<readonly BenchMetric[]> {
  const database = await openDatabase();
  const upstream = await startUpstreamProcess(0, () => {});
  try {
    await applyCatalog(database, localCatalog(upstream.url));
    const [plain, traced] = [await open(database, UPDATED), await open(database, FINISHED)];
    const ratios: number[] = [];
    for (let block = 0; block < WARM_UP_BLOCKS + BLOCKS; block += 1) {
      // Which of the two comes first alternates too.
      const turns = block % 2 === 0 ? [plain, traced] : [traced, plain];
      const times = new Map<object, number>();
      for (const turn of turns) times.set(turn, await cpuMs(turn.call));
      ratios.push((times.get(traced) ?? Number.NaN) / (times.get(plain) ?? Number.NaN));
    }
    await waitForQuietMinute(NEEDED_MS);
    const [before, after] = [await workOf(plain), await workOf(traced)];
    const more = { least: 0, most: 0 };
    return [
      {
        name: 'CPU of a call with a trace and alerts, of one without',
        value: median(ratios.slice(WARM_UP_BLOCKS)),
        unit: 'times',
        most: MAX_CPU,
      },
      { name: 'rounds more', value: after.rounds - before.rounds, unit: 'rounds', ...more },
      { name: 'requests more', value: requestsOf(after) - requestsOf(before), unit: 'requests', ...more },
      { name: 'write units more', value: after.writeUnits - before.writeUnits, unit: 'write units', ...more },
    ];
  } finally {
    await upstream.stop();
    await database.close();
  }
}

/** Opens an account; returns what makes a call of it. On the finished stage, the account has alerts and the call a trace. */
async function open(database: Database, stage: StageCheck) {
  const clients = database.connect();
  // No call of the bench publishes an event.
  const environment = { ...database.environment, [VARIABLES.eventBus]: 'none' };
  const traffic = new Traffic(clients, backgroundTables(database));
  const { accountId, credential } = await openAccount(clients, environment);
  if (stage === FINISHED) {
    const { store } = createAlerts({ clients, environment, log: SILENT, stage });
    await store.setThresholds(accountId, { lowUsd: NANO_PER_USD, lowDays: 7 });
  }
  const handler = composeChat({ clients, environment, fetch, mayServe: stage });
  const headers: Readonly<Record<string, string>> = stage === FINISHED ? { traceparent: TRACEPARENT } : {};
  const call = async () => readText(await callChat(handler, { credential, body: BODY, headers }));
  return { call, traffic };
}

async function workOf({ call, traffic }: Awaited<ReturnType<typeof open>>) {
  await call();
  traffic.take();
  await call();
  return traffic.take();
}

const requestsOf = ({ reads, writes }: ReturnType<Traffic['take']>): number => reads + writes;
