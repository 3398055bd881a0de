/** Hosts that are killed with hundreds of calls open: what callers got, what they were charged, and what stays held. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sweep } from '../../../lambdas/ledger/core/sweep.ts';
import { createLedger } from '../../../lambdas/ledger/store/create-ledger.ts';
import { readWalletPage } from '../../../lambdas/ledger/store/ledger-scan.ts';
import { VARIABLES } from '../../../lambdas/platform/contract/environment.ts';
import { requireTable } from '../../../lambdas/platform/contract/tables.ts';
import type { BenchMetric } from '../harness/report.ts';
import { SILENT, UNMEASURED } from '../harness/service/account.ts';
import { modelNamed } from '../harness/upstream/model-name.ts';
import type { Stage } from './stage.ts';
import { type StreamRun, streamAll } from './streams.ts';

const ROUNDS = 10;
/** A rate at which more than 500 calls are open at the same time. */
const PER_SECOND = 130;
const CALLS = 900;

/** Answers of a few seconds: as some end, others begin. */
const EVENTS = 20;
const EVERY_MS = 250;
const RESPONSE_MS = EVENTS * EVERY_MS;
export const KILLED_RESPONSE = modelNamed({ chunks: EVENTS, pauseMs: 50, everyMs: EVERY_MS });

/** Holds expire within a round. */
const HOLD_SECONDS = 12;

export async function measureKills(stage: Stage): Promise<readonly BenchMetric[]> {
  const streamed: StreamRun[] = [];
  let openAtKill = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const host = await stage.start({ overrides: { [VARIABLES.holdTtlSeconds]: String(HOLD_SECONDS) } });
    const load = { url: host.url, upstream: KILLED_RESPONSE, count: CALLS, perSecond: PER_SECOND };
    const running = streamAll(stage, load);
    // Past the time at which as many end as begin.
    await sleep(RESPONSE_MS + Math.random() * 2_000);
    openAtKill = Math.min(openAtKill, await openHolds(stage));
    await host.kill();
    streamed.push(...(await running));
  }
  await sleep((HOLD_SECONDS + 1) * 1_000);
  const { settled, released } = await recover(stage);
  const { lost, more } = await compare(stage, streamed);
  const { off, held } = await stage.totals();
  const name = `${ROUNDS} kills with calls open`;
  return [
    { name: `${name}: fewest open at a kill`, value: openAtKill, unit: 'calls', least: 500 },
    {
      name: `${name}: answered whole`,
      value: streamed.filter(({ isComplete }) => isComplete).length,
      unit: 'calls',
    },
    { name: `${name}: settled by recovery`, value: settled, unit: 'calls' },
    { name: `${name}: released by recovery`, value: released, unit: 'calls' },
    { name: `${name}: answered and not charged`, value: lost, unit: 'calls', most: 0 },
    { name: `${name}: charged beyond one record a call`, value: Number(more), unit: 'nano-USD', most: 0 },
    { name: `${name}: books off`, value: Number(off), unit: 'nano-USD', most: 0 },
    { name: `${name}: held after recovery`, value: Number(held), unit: 'nano-USD', most: 0 },
  ];
}

const ledgerOf = ({ database }: Stage) => {
  const clients = database.connect();
  const { environment } = database;
  const ledger = createLedger({ clients, environment, log: SILENT, measure: UNMEASURED });
  const pages = (after?: string) =>
    readWalletPage(clients.client, requireTable(environment, 'wallets'), after);
  return { ...ledger, pages };
};

async function openHolds(stage: Stage): Promise<number> {
  const { wallets } = ledgerOf(stage);
  const readWallets = await Promise.all(stage.accounts.map(({ accountId }) => wallets.read(accountId)));
  return readWallets.reduce((open, wallet) => open + (wallet?.holds.length ?? 0), 0);
}

/** Sweeps as the service's schedule does. */
async function recover(stage: Stage) {
  const { pages, recovery } = ledgerOf(stage);
  return sweep(pages, recovery, async () => {});
}

/** Every whole answer has a record that says so; what was charged is the sum of one record a call. */
async function compare(stage: Stage, streamed: readonly StreamRun[]) {
  const { usage } = ledgerOf(stage);
  let [lostCount, charged] = [0, 0n];
  for (const { requestId, account, isComplete } of streamed) {
    if (requestId === undefined) continue;
    const record = await usage.get(account.key.keyId, requestId);
    charged += record?.cost ?? 0n;
    if (isComplete && record?.status !== 'completed') lostCount += 1;
  }
  const totals = await stage.totals();
  // Calls without an answer have no id here, and cost nothing.
  return { lost: lostCount, more: totals.usage - charged };
}
