/**
 * Measures how much later the first content of a stream comes through us than from the bare upstream, money on; rounds of
 * the two are interleaved.
 */
import { startUpstreamProcess } from '../../simulators/models/models-process.ts';
import { openDatabase } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { openAccount } from '../harness/service/account.ts';
import { applyCatalog } from '../harness/service/bench-catalog.ts';
import { callChat, composeChat, localCatalog, MODEL } from '../harness/service/chat.ts';
import { median } from '../harness/statistics.ts';

const WARM_UP = 50;
const ROUNDS = 300;

const BODY = { max_tokens: 16, stream: true, messages: [{ role: 'user', content: 'Repeat exactly: first' }] };

type ChunkListener = (chunk: string | Uint8Array) => undefined;

/** Milliseconds until the first content is here. `call` reads the answer to its end. */
async function firstContent(call: (onChunk: ChunkListener) => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  let firstMs: number | undefined;
  await call((chunk) => {
    if (Buffer.from(chunk as string).includes('"content":"first')) firstMs ??= performance.now();
    return undefined;
  });
  if (firstMs === undefined) throw new Error('no content came');
  return firstMs - startedMs;
}

export async function measureFirstToken(): Promise<readonly BenchMetric[]> {
  const database = await openDatabase();
  const upstream = await startUpstreamProcess(0, () => {});
  try {
    const { environment } = database;
    const clients = database.connect();
    await applyCatalog(database, localCatalog(upstream.url));
    const { credential } = await openAccount(clients, environment);
    const handler = composeChat({ clients, environment, fetch });
    const ours = async (write: ChunkListener) => {
      const { body } = await callChat(handler, { credential, body: { ...BODY, model: MODEL } });
      if (typeof body !== 'string') await body.run({ write });
    };
    const bare = async (onChunk: ChunkListener) => {
      const { body } = await fetch(`${upstream.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer simulated' },
        body: JSON.stringify({ ...BODY, model: 'chat' }),
      });
      for await (const bytes of body ?? []) onChunk(bytes);
    };
    const [bareMs, oursMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      bareMs.push(await firstContent(bare));
      oursMs.push(await firstContent(ours));
    }
    const middle = (times: readonly number[]) => median(times.slice(WARM_UP));
    return [
      { name: 'first content from the bare upstream, median', value: middle(bareMs), unit: 'ms' },
      {
        name: 'added to it, money on, median',
        value: middle(oursMs) - middle(bareMs),
        unit: 'ms',
        note: `${ROUNDS} interleaved rounds; the upstream, the database and this process share the machine`,
      },
    ];
  } finally {
    await upstream.stop();
    await database.close();
  }
}
