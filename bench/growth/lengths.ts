/** What a streamed chunk costs over HTTP as streams grow longer, ours beside Portkey's, and whether memory stays flat. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodyOf, CASES, type Case } from '../harness/load/cases.ts';
import { closedLoop } from '../harness/load/loops.ts';
import type { Figure } from '../harness/report.ts';
import { openAccount } from '../harness/service/account.ts';
import { applyCatalog, catalogModel, catalogOf } from '../harness/service/bench-catalog.ts';
import { openDatabase } from '../harness/service/database.ts';
import { median } from '../harness/statistics.ts';
import { startBenchUpstream } from '../harness/upstream/process.ts';
import { modelNamed } from '../harness/upstream/server.ts';
import { cpuMsOf, residentMbOf } from '../harness/weigh.ts';
import { bundleHost } from '../host/bundle.ts';
import { startSecrets } from '../host/process.ts';
import type { Contestant, Running } from '../peers/contestant.ts';
import { OURS, ourContestant } from '../peers/ours.ts';
import { portkeyContestant } from '../peers/portkey.ts';
import { installable } from '../peers/ring.ts';

const LENGTHS = [1_000, 10_000, 50_000] as const;
const PASSES = 3;

/** The design's budget; for a stream that is long enough that the call around it counts for nothing. */
const CHUNK_MICROSECONDS = 20;

const upstreamName = (chunks: number) => modelNamed({ chunks, pauseMs: 0 });

interface Streamer {
  readonly contestant: Contestant;
  readonly modelOf: (upstream: string) => string;
}

export async function measureLengths(): Promise<Figure[]> {
  const asked = CASES.find(({ name }) => name === 'chat streamed');
  if (asked === undefined) throw new Error('there is no streamed case');
  const folder = mkdtempSync(join(tmpdir(), 'bench-lengths-'));
  const upstream = await startBenchUpstream();
  const database = await openDatabase({ inMemory: true });
  const secrets = await startSecrets();
  try {
    await bundleHost(folder, { money: true });
    await applyCatalog(database, catalogOf(upstream.url, { upstreams: LENGTHS.map(upstreamName) }));
    const { credential } = await openAccount(database.connect(), database.environment);
    const host = { database, folder, secretsUrl: secrets.url };
    const streamers: Streamer[] = [
      {
        contestant: ourContestant({ name: OURS, credentials: [credential], ...host }),
        modelOf: (name) => catalogModel('openai', name),
      },
      ...installable('Portkey', () => portkeyContestant(upstream.url)).map((contestant) => ({
        contestant,
        modelOf: (name: string) => name,
      })),
    ];
    const figures: Figure[] = [];
    for (const streamer of streamers) figures.push(...(await measureStreamer(streamer, asked)));
    return figures;
  } finally {
    secrets.close();
    await database.close();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureStreamer(streamer: Streamer, asked: Case): Promise<Figure[]> {
  const running = await streamer.contestant.start();
  try {
    const figures: Figure[] = [];
    // A long stream first: the short ones that follow find the code compiled.
    await streamOnce(streamer, { running, asked, chunks: 10_000 });
    for (const chunks of LENGTHS) {
      const passes: number[] = [];
      for (let pass = 0; pass < PASSES; pass += 1)
        passes.push(await streamOnce(streamer, { running, asked, chunks }));
      const { name } = streamer.contestant;
      const longest = chunks === LENGTHS.at(-1) && name === OURS;
      figures.push(
        {
          ...{ name: `${name}: CPU a chunk of ${chunks}`, value: median(passes), unit: 'microseconds' },
          ...(longest ? { most: CHUNK_MICROSECONDS, goal: true as const } : {}),
        },
        { name: `${name}: memory after streams of ${chunks}`, value: residentMbOf(running.pid), unit: 'MB' },
      );
    }
    return figures;
  } finally {
    await running.stop();
  }
}

interface StreamOptions {
  readonly running: Running;
  readonly asked: Case;
  readonly chunks: number;
}

/** Returns the microseconds of CPU that a chunk took the contestant's process. */
async function streamOnce(
  { contestant, modelOf }: Streamer,
  { running, asked, chunks }: StreamOptions,
): Promise<number> {
  const model = modelOf(upstreamName(chunks));
  const next = () => ({ ...contestant.request(asked, 0), body: bodyOf(asked, model) });
  const before = cpuMsOf(running.pid);
  const { calls } = await closedLoop({ url: running.url, next, windowMs: 1 }, 1);
  return ((cpuMsOf(running.pid) - before) * 1_000) / (calls.length * chunks);
}
