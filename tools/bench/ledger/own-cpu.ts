/**
 * Our own CPU time of a call: the whole endpoint's, less that of the bare work it cannot do without, which is the
 * same requests to the database and to the upstream, sent with the same clients and no code of ours.
 */
import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { systemUlid } from '../../../lambdas/platform/system/system.ts';
import type { BenchMetric } from '../harness/report.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { callChat, composeChat } from '../harness/service/chat.ts';
import { backgroundTables, type Database } from '../harness/service/database.ts';
import { type RecordedRequest, Traffic } from '../harness/service/traffic.ts';
import { median } from '../harness/statistics.ts';
import { waitForQuietMinute } from './call.ts';
import { type RecordedCall, Recorder } from './recorder.ts';

/** Blocks of both kinds alternate, so that what disturbs the machine disturbs both. */
const BLOCKS = 11;
const CALLS_A_BLOCK = 40;

/** Until the code is compiled and the connections are open. */
const WARM_UP_BLOCKS = 5;

/** Recorded requests are of one minute and refused in the next; a block takes a second, more on a busy machine. */
const NEEDED_MS = 5_000;

export interface OwnCpuOptions {
  readonly database: Database;
  readonly account: BenchAccount;
  readonly body: object;
}

type Work = () => Promise<unknown>;

export async function measureOwnCpu(options: OwnCpuOptions): Promise<readonly BenchMetric[]> {
  const { database, account, body } = options;
  const handler = composeChat({ clients: database.connect(), environment: database.environment, fetch });
  const completeCall: Work = async () =>
    (await callChat(handler, { credential: account.credential, body })).text();
  const record = recorderOf(options);
  const { client } = database.connect();
  const [totalMs, bareMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP_BLOCKS + BLOCKS; round += 1) {
    totalMs.push(await cpuMs(completeCall));
    await waitForQuietMinute(NEEDED_MS);
    // If it is the first call of a minute, it is another one than the rest.
    await completeCall();
    bareMs.push(await cpuMs(bareCalls(client, await record())));
  }
  return metricsOf(totalMs.slice(WARM_UP_BLOCKS), bareMs.slice(WARM_UP_BLOCKS));
}

/** The difference is taken block by block: what slowed one of a pair has slowed the other. */
function metricsOf(totalMs: readonly number[], bareMs: readonly number[]): readonly BenchMetric[] {
  const unit = 'ms CPU';
  return [
    {
      name: 'endpoint: own CPU a call',
      value: median(totalMs.map((ms, round) => ms - (bareMs[round] ?? Number.NaN))),
      unit,
      note: 'the next figure less the one after it, block by block; without the Lambda host and the log line',
    },
    { name: 'endpoint: CPU a call in all', value: median(totalMs), unit },
    {
      name: 'endpoint: CPU of its bare requests',
      value: median(bareMs),
      unit,
      note: 'the same database requests in the same rounds and the same fetch, without our code',
    },
  ];
}

/** Makes a warm call and returns what it sent. */
function recorderOf({ database, account, body }: OwnCpuOptions): () => Promise<RecordedCall> {
  const clients = database.connect();
  const recorder = new Recorder(new Traffic(clients, backgroundTables(database)));
  const handler = composeChat({ clients, environment: database.environment, fetch: recorder.fetch });
  // One call a second renews what all calls read of the circuits; that is no part of a call.
  const background = backgroundTables(database);
  const ofCall = (half: RecordedCall['before']) => ({
    ...half,
    recordedRequests: half.recordedRequests.filter(
      ({ input }) => !background.some((table) => table === input.TableName),
    ),
  });
  return async () => {
    recorder.start();
    await (await callChat(handler, { credential: account.credential, body })).text();
    const { before, after, upstream } = recorder.end();
    return { before: ofCall(before), after: ofCall(after), upstream };
  };
}

/** A block of calls that send what the recorded one sent, each under an id of its own, made before they are timed. */
function bareCalls(client: DynamoDBClient, { before, after, upstream }: RecordedCall): Work {
  const [url, init] = upstream;
  const requestId = requestIdOf(after.recordedRequests);
  const renamed = (recordedRequests: readonly RecordedRequest[], id: string) =>
    rounds(recordedRequests).map((round) => round.map((request) => command(request, requestId, id)));
  const calls = Array.from({ length: CALLS_A_BLOCK }, () => {
    const id = `req_${systemUlid()}`;
    return { before: renamed(before.recordedRequests, id), after: renamed(after.recordedRequests, id) };
  });
  const send = async (requests: ReturnType<typeof renamed>) => {
    for (const round of requests) await Promise.all(round.map((request) => request(client)));
  };
  return async () => {
    const call = calls.pop();
    if (call === undefined) throw new Error('more calls than were prepared');
    await send(call.before);
    await (await fetch(url, { ...init, signal: null })).text();
    await send(call.after);
  };
}

const rounds = (recordedRequests: readonly RecordedRequest[]): RecordedRequest[][] => [
  ...Map.groupBy(recordedRequests, ({ round }) => round).values(),
];

/** The usage record is the only item that is put, and is named by the call. */
function requestIdOf(recordedRequests: readonly RecordedRequest[]): string {
  const put = recordedRequests.find((request) => request.command === 'PutItemCommand')?.input as
    | { readonly Item?: { readonly request_id?: { readonly S?: string } } }
    | undefined;
  const id = put?.Item?.request_id?.S;
  if (id === undefined) throw new Error('the recorded call has put no usage record');
  return id;
}

function command({ command: name, input }: RecordedRequest, recordedId: string, id: string) {
  const renamed = JSON.parse(JSON.stringify(input).replaceAll(recordedId, id));
  if (name === 'GetItemCommand') return (client: DynamoDBClient) => client.send(new GetItemCommand(renamed));
  if (name === 'PutItemCommand') return (client: DynamoDBClient) => client.send(new PutItemCommand(renamed));
  if (name === 'UpdateItemCommand')
    return (client: DynamoDBClient) => client.send(new UpdateItemCommand(renamed));
  throw new Error(`a call sent ${name}, which this bench does not know`);
}

/** CPU time of this process, all its threads, for one call of a block. */
async function cpuMs(work: Work): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < CALLS_A_BLOCK; done += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS_A_BLOCK;
}
