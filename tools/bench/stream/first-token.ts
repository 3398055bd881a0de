/**
 * Measures how much later the first content of a stream comes through us than from the bare upstream, money on, and
 * prints it; rounds of the two are interleaved.
 */
import { startUpstreamProcess } from '../../simulators/models/models-process.ts';
import { openAccount } from '../harness/service/account.ts';
import { applyCatalog, callChat, composeChat, MODEL } from '../harness/service/chat.ts';
import { openDatabase } from '../harness/service/database.ts';
import { median } from '../harness/statistics.ts';

export interface FirstTokenMeasurement {
  readonly rounds: number;
  /** Medians, milliseconds. */
  readonly bareMs: number;
  readonly oursMs: number;
}

const WARM_UP = 50;
const ROUNDS = 300;

const BODY = { max_tokens: 16, stream: true, messages: [{ role: 'user', content: 'Repeat exactly: first' }] };

/** Milliseconds until the first content is here; then reads the answer to its end. */
async function firstContent(call: () => Promise<Response>): Promise<number> {
  const startedMs = performance.now();
  const response = await call();
  let firstMs: number | undefined;
  for await (const bytes of response.body ?? []) {
    if (firstMs === undefined && Buffer.from(bytes).includes('"content":"first')) firstMs = performance.now();
  }
  if (firstMs === undefined) throw new Error(`no content came: ${response.status}`);
  return firstMs - startedMs;
}

const database = await openDatabase();
const upstream = await startUpstreamProcess(0, () => {});
try {
  const { environment } = database;
  const clients = database.connect();
  await applyCatalog(clients, environment, upstream.url);
  const { credential } = await openAccount(clients, environment);
  const handler = composeChat({ clients, environment, fetch });
  const ours = () => callChat(handler, { credential, body: { ...BODY, model: MODEL } });
  const bare = () =>
    fetch(`${upstream.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer simulated' },
      body: JSON.stringify({ ...BODY, model: 'chat' }),
    });
  const times = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const [bareMs, oursMs] = [await firstContent(bare), await firstContent(ours)];
    if (round < WARM_UP) continue;
    times.bare.push(bareMs);
    times.ours.push(oursMs);
  }
  const measured: FirstTokenMeasurement = {
    rounds: ROUNDS,
    bareMs: median(times.bare),
    oursMs: median(times.ours),
  };
  console.log(JSON.stringify(measured));
} finally {
  await upstream.stop();
  await database.close();
}
