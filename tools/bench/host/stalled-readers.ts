/** Readers that stop reading: what their streams cost the memory of the host, and the callers next to them. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Case, CHAT_STREAMED, upstreamModel } from '../harness/load/cases.ts';
import type { BenchMetric } from '../harness/report.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { median } from '../harness/statistics.ts';
import { modelNamed } from '../harness/upstream/model-name.ts';
import { residentMbOf } from '../harness/weigh.ts';
import { hostRequest, openStage, type Stage } from './stage.ts';
import { streamAll } from './streams.ts';

const READERS = 500;

/** On a route whose streams end with their callers. */
const STALLED: Case = {
  name: 'messages streamed',
  surface: 'messages',
  stream: true,
  protocol: 'anthropic',
};

/** More than the sockets between upstream and reader hold: some 10 MB. */
const LONG_RESPONSE = modelNamed({ chunks: 50_000, pauseMs: 20 });

/** The host ends a stream of which nothing was taken for a minute. */
const STALLED_MS = 55_000;

const OTHERS = { perSecond: 10, count: 150 };
const CHECK_MS = 250;
const MEMORY_MB = 512;
const SPREAD = 3;

/** Opens a stream and reads nothing of it. Resolves with a function that leaves, once its headers are here. */
function stall(url: string, account: BenchAccount): Promise<() => void> {
  const { path, headers, body } = hostRequest(STALLED, LONG_RESPONSE, account);
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method: 'POST', headers, agent: false }, (response) => {
      response.on('error', () => {});
      if (response.statusCode === 200) resolve(() => void call.destroy());
      else reject(new Error(`a stream was rejected: ${response.statusCode}`));
    });
    call.on('error', reject);
    call.end(body);
  });
}

export async function measureReaders(): Promise<readonly BenchMetric[]> {
  const stage = await openStage(LONG_RESPONSE);
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}

async function measure(stage: Stage): Promise<readonly BenchMetric[]> {
  const host = await stage.start({ overrides: { HOST_OPEN_CALLS: '1000' } });
  const others = () =>
    streamAll(stage, { ...OTHERS, url: host.url, upstream: upstreamModel(CHAT_STREAMED, 0) });
  let pollTimer: NodeJS.Timeout | undefined;
  try {
    const before = await others();
    const memoryBefore = residentMbOf(host.pid);
    let maxMb = 0;
    pollTimer = setInterval(() => {
      maxMb = Math.max(maxMb, residentMbOf(host.pid));
    }, CHECK_MS);
    const startedMs = performance.now();
    const leaves: (() => void)[] = [];
    while (leaves.length < READERS) {
      const account = stage.accounts[leaves.length % stage.accounts.length] as BenchAccount;
      leaves.push(await stall(host.url, account));
    }
    const beside = await others();
    await sleep(Math.max(0, STALLED_MS - (performance.now() - startedMs)));
    clearInterval(pollTimer);
    await host.stop();
    for (const leave of leaves) leave();
    const { off, held } = await stage.totals();
    const name = `${READERS} readers that stop reading`;
    const first = (calls: typeof before) => median(calls.map(({ firstMs }) => firstMs));
    return [
      { name: `${name}: memory`, value: maxMb, unit: 'MB', most: MEMORY_MB },
      { name: `${name}: memory before them`, value: memoryBefore, unit: 'MB' },
      {
        name: `${name}: first token of others, median`,
        value: first(beside) / first(before),
        unit: 'of that before them',
        most: SPREAD,
      },
      {
        name: `${name}: answers of others that came to their end`,
        value: beside.filter(({ isComplete }) => isComplete).length,
        unit: 'calls',
        least: OTHERS.count,
      },
      { name: `${name}: books off`, value: Number(off), unit: 'nano-USD', most: 0 },
      { name: `${name}: left to recovery`, value: Number(held), unit: 'nano-USD', most: 0 },
    ];
  } finally {
    clearInterval(pollTimer);
    await host.kill();
  }
}
