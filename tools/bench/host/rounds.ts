/** Rounds of requests to AWS before the route is asked: of the first call of a process, which begins to read as it loads, and of a later one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startFront } from '../harness/database/front.ts';
import { callOnce } from '../harness/load/call.ts';
import { CHAT_STREAMED, upstreamModel } from '../harness/load/cases.ts';
import { overPool } from '../harness/load/loops.ts';
import type { BenchMetric } from '../harness/report.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { median } from '../harness/statistics.ts';
import { hostRequest, type Stage } from './stage.ts';

/** Every answer of AWS takes so long: far more than a call's own work. */
const ROUND_MS = 200;

const STARTS = 3;

export async function measureRounds(stage: Stage): Promise<readonly BenchMetric[]> {
  const front = await startFront(stage.database.endpoint, async (_request, forward) => {
    await sleep(ROUND_MS);
    return forward();
  });
  const overrides = { AWS_ENDPOINT_URL_DYNAMODB: front.endpoint };
  try {
    const [cold, warm]: [number[], number[]] = [[], []];
    for (let start = 0; start < STARTS; start += 1) {
      const host = await stage.start({ overrides, settingsMs: ROUND_MS });
      cold.push(await roundsOf(stage, host.url));
      warm.push(await roundsOf(stage, host.url));
      await host.kill();
    }
    const [name, unit] = ['before its first text', 'rounds'];
    return [
      { name: `first call of a process: ${name}`, value: median(cold), unit, most: 3 },
      { name: `later call: ${name}`, value: median(warm), unit, most: 1 },
    ];
  } finally {
    await front.stop();
  }
}

/** Makes a streamed call: its first text comes before its settlement, whose rounds delay an answer that is whole. */
async function roundsOf({ accounts: [account] }: Stage, url: string): Promise<number> {
  const request = hostRequest(CHAT_STREAMED, upstreamModel(CHAT_STREAMED, 0), account as BenchAccount);
  const { firstMs } = await overPool(url, 1, (pool) => callOnce(pool, request));
  return Math.floor(firstMs / ROUND_MS);
}
