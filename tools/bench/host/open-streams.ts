/** Streams held open in one process: its memory, the time to the first token while others begin, and the books. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT_STREAMED, upstreamModel } from '../harness/load/cases.ts';
import type { BenchMetric } from '../harness/report.ts';
import { median, percentile } from '../harness/statistics.ts';
import { modelNamed } from '../harness/upstream/model-name.ts';
import { cpuMsOf, residentMbOf } from '../harness/weigh.ts';
import type { Stage } from './stage.ts';
import { streamAll } from './streams.ts';

export interface OpenStreams {
  readonly count: number;
  readonly perSecond: number;
  /** Figures of what is promised; the others are found limits. */
  readonly isPromised: boolean;
}

/** An answer of two minutes, open for longer than it takes to open all. */
const EVENTS = 40;
const EVERY_MS = 3_000;
const FIRST_AFTER_MS = 20;
export const OPEN_RESPONSE = modelNamed({ chunks: EVENTS, pauseMs: FIRST_AFTER_MS, everyMs: EVERY_MS });

const MEMORY_MB = 512;
const SPREAD = 3;
const CHECK_MS = 250;

/** A host holds nothing in advance two seconds after the last call. */
const RELEASED_MS = 2_000;

export async function measureOpenStreams(
  stage: Stage,
  options: OpenStreams,
): Promise<readonly BenchMetric[]> {
  const { count, perSecond, isPromised } = options;
  const host = await stage.start({ overrides: { HOST_OPEN_CALLS: String(count) } });
  let maxMb = 0;
  const pollTimer = setInterval(() => {
    maxMb = Math.max(maxMb, residentMbOf(host.pid));
  }, CHECK_MS);
  try {
    const load = { url: host.url, perSecond };
    await streamAll(stage, { ...load, upstream: upstreamModel(CHAT_STREAMED, 0), count: 20 });
    const cpu = cpuMsOf(host.pid);
    const streamed = await streamAll(stage, { ...load, upstream: OPEN_RESPONSE, count });
    const cpuMs = cpuMsOf(host.pid) - cpu;
    const first = streamed.map(({ firstMs }) => firstMs).filter((ms) => !Number.isNaN(ms));
    await sleep(RELEASED_MS);
    const { off, held } = await stage.totals();
    const name = `${count} open streams, ${perSecond} begun a second`;
    const promised = (bounds: Pick<BenchMetric, 'most' | 'least'>) => (isPromised ? bounds : {});
    const middle = median(first);
    return [
      { name: `${name}: memory`, value: maxMb, unit: 'MB', ...promised({ most: MEMORY_MB }) },
      { name: `${name}: first token, median`, value: middle, unit: 'ms' },
      {
        name: `${name}: first token, p99`,
        value: percentile(first, 99) / middle,
        unit: 'of the median',
        ...promised({ most: SPREAD }),
      },
      { name: `${name}: CPU a call`, value: cpuMs / count, unit: 'ms' },
      {
        name: `${name}: answers that came to their end`,
        value: streamed.filter(({ isComplete }) => isComplete).length,
        unit: 'calls',
        ...promised({ least: count }),
      },
      { name: `${name}: books off`, value: Number(off), unit: 'nano-USD', most: 0 },
      { name: `${name}: left to recovery`, value: Number(held), unit: 'nano-USD', ...promised({ most: 0 }) },
    ];
  } finally {
    clearInterval(pollTimer);
    await host.stop();
  }
}
