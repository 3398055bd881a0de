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
import type { Database } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { callChat, composeChat, readText } from '../harness/service/chat.ts';
import type { RecordedRequest } from '../harness/service/traffic.ts';
import { median } from '../harness/statistics.ts';
import { waitForQuietMinute } from './call.ts';
import { callRecorder, type RecordedCall } from './recorder.ts';

/** Blocks of both kinds alternate, so that what disturbs the machine disturbs both. */
const BLOCKS = 11;
const CALLS_A_BLOCK = 40;

/** The design's goal. */
const MAX_OWN_CPU_MS = 1;

/** Until the code is compiled and the connections are open. */
const WARM_UP_BLOCKS = 5;

/** Recorded requests are of one minute and refused in the next; a block takes a second, more on a busy machine. */
const NEEDED_MS = 5_000;

type Work = () => Promise<unknown>;

export async function measureOwnCpu(
  database: Database,
  account: BenchAccount,
  body: object,
): Promise<readonly BenchMetric[]> {
  const handler = composeChat({ clients: database.connect(), environment: database.environment, fetch });
  const completeCall: Work = async () =>
    readText(await callChat(handler, { credential: account.credential, body }));
  const record = callRecorder(database, account, body);
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
      most: MAX_OWN_CPU_MS,
      goal: true,
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

/** A block of calls that send what the recorded one sent, each under an id of its own, made before they are timed. */
function bareCalls(client: DynamoDBClient, { before, after, upstream: [url, init] }: RecordedCall): Work {
  // The usage record is the only item that is put, and is named by the call.
  const [, requestId] = /"request_id":\{"S":"([^"]+)"/.exec(JSON.stringify(after.recordedRequests)) ?? [];
  if (requestId === undefined) throw new Error('the recorded call has put no usage record');
  const renamed = ({ recordedRequests }: RecordedCall['before'], id: string) => {
    const requests = JSON.parse(JSON.stringify(recordedRequests).replaceAll(requestId, id));
    return Object.values(Object.groupBy(requests as RecordedRequest[], ({ round }) => round)).map(
      (round = []) => round.map(commandOf),
    );
  };
  const calls = Array.from({ length: CALLS_A_BLOCK }, () => {
    const id = `req_${systemUlid()}`;
    return { before: renamed(before, id), after: renamed(after, id) };
  });
  const send = async (rounds: ReturnType<typeof renamed>) => {
    for (const round of rounds) await Promise.all(round.map((command) => client.send(command)));
  };
  return async () => {
    const call = calls.pop();
    if (call === undefined) throw new Error('more calls than were prepared');
    await send(call.before);
    await (await fetch(url, { ...init, signal: null })).text();
    await send(call.after);
  };
}

const COMMANDS: Readonly<Record<string, new (input: never) => unknown>> = {
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
};

function commandOf({ command: name, input }: RecordedRequest): GetItemCommand {
  const Command = COMMANDS[name];
  if (Command === undefined) throw new Error(`a call sent ${name}, which this bench does not know`);
  return new Command(input as never) as GetItemCommand;
}

/** CPU time of this process, all its threads, for one call of a block, milliseconds. */
export async function cpuMs(work: Work): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < CALLS_A_BLOCK; done += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS_A_BLOCK;
}
