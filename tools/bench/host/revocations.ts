/** Keys that are revoked while they are in use: how long a host admits their calls, and when the credit taken for them is back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyRegistry } from '../../../lambdas/access/store/create-accounts.ts';
import { FRESH_MS } from '../../../lambdas/ledger/core/lease-times.ts';
import { call } from '../harness/load/call.ts';
import { CHAT, upstreamModel } from '../harness/load/cases.ts';
import { overPool } from '../harness/load/loops.ts';
import type { BenchMetric } from '../harness/report.ts';
import { type BenchAccount, openAccount } from '../harness/service/account.ts';
import { hostRequest, type Stage } from './stage.ts';

const TRIALS = 1_000;
/** Keys in use at the same time. */
const AT_ONCE = 20;
const EVERY_MS = 120;
/** A key is in steady use before it is revoked. */
const BEFORE_MS = 800;
const AFTER_MS = 1_800;

interface Trial {
  /** Calls that were answered although they were sent longer after the revocation than a key may be used for. */
  readonly late: number;
  /** From the end of the revocation to the sending of the last call that was answered; 0 if there is none. */
  readonly lastMs: number;
  readonly answered: number;
}

export async function measureRevocations(stage: Stage): Promise<readonly BenchMetric[]> {
  const host = await stage.start();
  const clients = stage.database.connect();
  const { environment } = stage.database;
  const registry = createKeyRegistry({ clients, environment });
  const trials: Trial[] = [];
  try {
    while (trials.length < TRIALS) {
      const round = Array.from({ length: AT_ONCE }, async (_, at) => {
        await sleep((at * EVERY_MS) / AT_ONCE);
        const account = await openAccount(clients, environment);
        return tryKey(host.url, account, () => registry.revoke(account.key));
      });
      trials.push(...(await Promise.all(round)));
    }
    const name = `${TRIALS} keys revoked in use`;
    const sum = (of: (trial: Trial) => number) => trials.reduce((total, trial) => total + of(trial), 0);
    return [
      { name: `${name}: calls answered`, value: sum(({ answered }) => answered), unit: 'calls' },
      {
        name: `${name}: answered that were sent over ${FRESH_MS / 1000} s later`,
        value: sum(({ late }) => late),
        unit: 'calls',
        most: 0,
      },
      {
        name: `${name}: last one answered`,
        value: Math.max(...trials.map(({ lastMs }) => lastMs)),
        unit: 'ms after',
      },
    ];
  } finally {
    await host.kill();
  }
}

async function tryKey(url: string, account: BenchAccount, revoke: () => Promise<void>): Promise<Trial> {
  const answeredMs: number[] = [];
  const startedMs = performance.now();
  let revokedMs = Number.POSITIVE_INFINITY;
  const revocation = sleep(BEFORE_MS)
    .then(revoke)
    .then(() => {
      revokedMs = performance.now();
    });
  await overPool(url, 8, async (pool) => {
    const running: Promise<unknown>[] = [];
    while (performance.now() - startedMs < BEFORE_MS + AFTER_MS) {
      const sentMs = performance.now();
      const request = hostRequest(CHAT, upstreamModel(CHAT, 0), account);
      running.push(
        call(pool, request, sentMs).then(({ isComplete }) => {
          if (isComplete) answeredMs.push(sentMs);
        }),
      );
      await sleep(EVERY_MS);
    }
    await Promise.all(running);
  });
  await revocation;
  const after = answeredMs.map((sentMs) => sentMs - revokedMs);
  return {
    answered: answeredMs.length,
    late: after.filter((ms) => ms > FRESH_MS).length,
    lastMs: Math.max(0, ...after),
  };
}
