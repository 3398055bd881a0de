/** The followers of the assembly's tables, and how far each has got, kept in the state folder. */
import type { EventEmitter } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Assembly } from '../assembly/assembly.ts';
import type { FunctionDescription } from '../assembly/functions.ts';
import { REGION } from '../assembly/intrinsics.ts';
import type { StreamMappingDescription } from '../assembly/stream-mappings.ts';
import { authorizeRole } from '../aws/callers.ts';
import { createEngineClient, ENGINE_CREDENTIALS } from '../dynamodb/client.ts';
import type { Queues } from '../messaging/queues.ts';
import { POLL_MS, startStreamPoller } from './stream-poller.ts';
import { type Checkpoint, createStreamReader } from './stream-reader.ts';

export interface StreamsOptions {
  readonly assembly: Pick<Assembly, 'streamMappings' | 'roles'> & {
    readonly functions: readonly Pick<FunctionDescription, 'name' | 'arn' | 'roleArn'>[];
  };
  readonly stateDir: string;
  readonly engineEndpoint: string;
  /** Gives notice of a write by an event with the name of the table. */
  readonly writes: EventEmitter;
  /** True if every function and program gives notice of its writes, so that frequent reads are not needed. */
  readonly allWritesNoticed: boolean;
  readonly queues: Queues;
  readonly enforceIam: boolean;
  readonly invoke: (functionArn: string, event: unknown) => Promise<unknown>;
  readonly log: (line: string) => void;
}

/** The maximum delay until a write by a person is found that goes directly to the engine. */
const UNNOTICED_MS = 5_000;

/** The actions that Lambda performs in the function's role before it reads a stream. */
const READING = ['DescribeStream', 'GetShardIterator', 'GetRecords'];

/** Starts every follower; the function returned stops them. Throws when a role may not do what its follower needs. */
export async function startStreams(options: StreamsOptions): Promise<() => Promise<void>> {
  const { assembly, stateDir, engineEndpoint, writes, queues, log } = options;
  if (assembly.streamMappings.length === 0) return async () => {};
  const tables = createEngineClient(engineEndpoint);
  const streams = new DynamoDBStreamsClient({
    endpoint: engineEndpoint,
    region: REGION,
    credentials: ENGINE_CREDENTIALS,
  });
  const checkpoints = openCheckpoints(join(stateDir, 'streams.json'));
  const pollers = await Promise.all(
    assembly.streamMappings.map(async (mapping) => {
      const functionArn = authorizeFollower(mapping, options);
      const name = `${mapping.tableName} ${mapping.functionName}`;
      const poller = startStreamPoller({
        mapping,
        longestWaitMs: options.allWritesNoticed ? UNNOTICED_MS : POLL_MS,
        read: await createStreamReader(tables, streams, mapping.tableName),
        start: checkpoints.read(name),
        save: (checkpoint) => checkpoints.write(name, checkpoint),
        invoke: (event) => options.invoke(functionArn, event),
        onGivenUp: (note) => {
          log(`${mapping.functionName}: gave records up: ${JSON.stringify(note)}`);
          if (mapping.deadQueueArn !== undefined)
            queues.byArn(mapping.deadQueueArn).send([{ body: JSON.stringify(note) }]);
        },
        log,
      });
      writes.on(mapping.tableName, poller.notify);
      return poller;
    }),
  );
  return async () => {
    await Promise.all(pollers.map((poller) => poller.stop()));
    streams.destroy();
    tables.destroy();
  };
}

/** The function's ARN, once its role is seen to allow all that is done in its name. */
function authorizeFollower(
  { functionName, streamArn, deadQueueArn }: StreamMappingDescription,
  options: StreamsOptions,
): string {
  const described = options.assembly.functions.find(({ name }) => name === functionName);
  if (described === undefined) throw new Error(`no stack defines the function ${functionName}`);
  const authorize = authorizeRole(options, described.roleArn, functionName, {
    service: 'lambda.amazonaws.com',
    sourceArn: described.arn,
  });
  for (const action of READING) authorize(`dynamodb:${action}`, streamArn);
  authorize('dynamodb:ListStreams', '*');
  if (deadQueueArn !== undefined) authorize('sqs:SendMessage', deadQueueArn);
  return described.arn;
}

/** A crash between a batch and its note repeats the batch, as Lambda may at any time. */
function openCheckpoints(file: string) {
  const checkpoints: Record<string, Checkpoint> = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : {};
  return {
    read: (name: string): Checkpoint | undefined => checkpoints[name],
    write(name: string, checkpoint: Checkpoint) {
      checkpoints[name] = checkpoint;
      writeFileSync(`${file}.new`, JSON.stringify(checkpoints));
      renameSync(`${file}.new`, file);
    },
  };
}
