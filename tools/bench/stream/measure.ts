/** Streams a long answer through an endpoint and prints what it cost: `<surface> <protocol>`; run with `--expose-gc`. */
import type { HostResponse } from '../../../lambdas/platform/http/request-handler.ts';
import { openDatabase } from '../../test-kit/database.ts';
import { openAccount } from '../harness/service/account.ts';
import { applyCatalog } from '../harness/service/bench-catalog.ts';
import { callChat, composeChat, localCatalog, type SurfaceName } from '../harness/service/chat.ts';
import { median } from '../harness/statistics.ts';
import { eventsOf, fragmentsOf, type Protocol } from '../harness/upstream/answers.ts';

export interface StreamMeasurement {
  readonly chunks: number;
  readonly bodyBytes: number;
  /** Median of the passes; user and system time of all threads. */
  readonly chunkMicroseconds: number;
  /** The growth of the live heap, after a garbage collection. */
  readonly heapGrowthBytes: number;
}

const CHUNKS = 50_000;
const INITIAL_INTERVAL = 10_000;
const PASSES = 5;

const [surface = 'chat', protocol = 'openai'] = process.argv.slice(2) as [SurfaceName?, Protocol?];

/** A model of the local catalog whose first route speaks the protocol. */
const MODELS: Readonly<Record<Protocol, string>> = {
  openai: 'sim/chat',
  'openai-responses': 'sim/responses',
  anthropic: 'sim/chat-anthropic',
};

/** The end of a stream on each surface. */
const ENDS: Readonly<Record<SurfaceName, string>> = {
  chat: 'data: [DONE]\n\n',
  responses: 'data: [DONE]\n\n',
  messages: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
};

/** The prompt is of no matter: the upstream's answer is in memory. */
const BODY = {
  model: MODELS[protocol],
  stream: true,
  ...(surface === 'responses'
    ? { max_output_tokens: 16_000, input: 'Hello' }
    : { max_tokens: 16_000, messages: [{ role: 'user', content: 'Hello' }] }),
};

function liveHeapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const LINE_FEED = 10;

/** Returns the number of blank lines of a fragment that begins with an event, each of which ends one. */
function countEvents(fragment: Uint8Array): number {
  let count = 0;
  for (let at = fragment.indexOf(LINE_FEED); at !== -1; at = fragment.indexOf(LINE_FEED, at + 1))
    if (fragment[at + 1] === LINE_FEED) count += 1;
  return count;
}

/** Reads the answer to its end, as bytes for a socket. Each chunk is some whole events. */
async function read(
  { body }: HostResponse,
  onEvents: (eventCount: number) => void = () => {},
): Promise<void> {
  if (typeof body === 'string') throw new Error('the response is no stream');
  let eventCount = 0;
  let last = Buffer.alloc(0);
  const write = (chunk: string | Uint8Array) => {
    last = Buffer.from(chunk as string);
    eventCount += countEvents(last);
    onEvents(eventCount);
    return undefined;
  };
  await body.run({ write });
  if (eventCount < CHUNKS || !last.toString().endsWith(ENDS[surface]))
    throw new Error(`the stream ended after ${eventCount} events with ${last}`);
}

async function measure(stream: () => Promise<HostResponse>, bodyBytes: number): Promise<StreamMeasurement> {
  await read(await stream());
  const passes: number[] = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    const before = process.cpuUsage();
    await read(await stream());
    const { user, system } = process.cpuUsage(before);
    passes.push((user + system) / CHUNKS);
  }
  let [firstBytes, lastBytes] = [Number.NaN, Number.NaN];
  await read(await stream(), (eventCount) => {
    if (eventCount >= INITIAL_INTERVAL && Number.isNaN(firstBytes)) firstBytes = liveHeapBytes();
    if (eventCount >= CHUNKS && Number.isNaN(lastBytes)) lastBytes = liveHeapBytes();
  });
  return {
    chunks: CHUNKS,
    bodyBytes,
    chunkMicroseconds: median(passes),
    heapGrowthBytes: lastBytes - firstBytes,
  };
}

const database = await openDatabase();
try {
  const { environment } = database;
  const clients = database.connect();
  await applyCatalog(database, localCatalog('http://127.0.0.1:9'));
  const { credential } = await openAccount(clients, environment);
  const body = Buffer.concat(eventsOf(protocol, CHUNKS));
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(ReadableStream.from(fragmentsOf(body)), { headers });
  const handler = composeChat({ clients, environment, fetch, surface });
  const stream = () => callChat(handler, { credential, body: BODY, surface });
  console.log(JSON.stringify(await measure(stream, body.length)));
} finally {
  await database.close();
}
