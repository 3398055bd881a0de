/** Rounds of requests to AWS before the route is asked: of the first call of a process, which begins to read as it loads, and of a later one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { startFront } from '../harness/database/front.ts';
import { callOnce } from '../harness/load/call.ts';
import { CASES, endOf } from '../harness/load/cases.ts';
import type { BenchMetric } from '../harness/report.ts';
import { catalogModel } from '../harness/service/bench-catalog.ts';
import { median } from '../harness/statistics.ts';
import { modelNamed } from '../harness/upstream/server.ts';
import type { Stage } from './stage.ts';

/** Every answer of AWS takes so long: far more than a call's own work. */
const ROUND_MS = 200;

export const QUICK_RESPONSE = modelNamed({ chunks: 20, pauseMs: 0 });

const STARTS = 3;

/** After a whole answer its settlement takes rounds of its own, so streams are looked at: their first text comes before it. */
const [STREAMED] = CASES.filter(({ stream }) => stream);

export async function measureRounds(stage: Stage): Promise<readonly BenchMetric[]> {
  const front = await startFront(stage.database.endpoint, async (_request, forward) => {
    await sleep(ROUND_MS);
    return forward();
  });
  try {
    const [cold, warm]: [number[], number[]] = [[], []];
    for (let start = 0; start < STARTS; start += 1) {
      const host = await stage.start({ AWS_ENDPOINT_URL_DYNAMODB: front.endpoint }, ROUND_MS);
      cold.push(await roundsOf(stage, host.url));
      warm.push(await roundsOf(stage, host.url));
      await host.kill();
    }
    return [
      {
        name: 'first call of a process: before its first text',
        value: median(cold),
        unit: 'rounds',
        most: 3,
      },
      { name: 'later call: before its first text', value: median(warm), unit: 'rounds', most: 1 },
    ];
  } finally {
    await front.stop();
  }
}

async function roundsOf({ accounts }: Stage, url: string): Promise<number> {
  const pool = new Pool(url);
  const [account] = accounts;
  if (STREAMED === undefined || account === undefined) throw new Error('nothing to call with');
  try {
    const { firstMs } = await callOnce(
      pool,
      {
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${account.credential}` },
        body: JSON.stringify({
          model: catalogModel('openai', QUICK_RESPONSE),
          max_tokens: 16_000,
          stream: true,
          messages: [{ role: 'user', content: 'What does a gateway do?' }],
        }),
        end: endOf(STREAMED),
      },
      performance.now(),
    );
    return Math.floor(firstMs / ROUND_MS);
  } finally {
    await pool.destroy();
  }
}
