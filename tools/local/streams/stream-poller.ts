/**
 * Lambda's poller of a stream: delivers batches in their order, the next when one is done or given up. At the end of the
 * stream it waits for notice of a write, so that an idle service does not spend its time on looking.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import { REGION } from '../assembly/intrinsics.ts';
import type { StreamMappingDescription } from '../assembly/stream-mappings.ts';
import type { Checkpoint, ReadRecords } from './stream-reader.ts';

export interface StreamPollerOptions {
  readonly mapping: StreamMappingDescription;
  readonly read: ReadRecords;
  /** The checkpoint of an earlier run. */
  readonly start: Checkpoint | undefined;
  /**
   * The maximum wait at the end of the stream without a notice, because not every writer notifies; at least `POLL_MS`.
   */
  readonly longestWaitMs: number;
  /** Keeps how far it has got. */
  readonly save: (checkpoint: Checkpoint) => void;
  /** Invokes the function with an event; rejects when the function fails. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  /** Notes records that were given up. */
  readonly onGivenUp: (note: unknown) => void;
  readonly log: (line: string) => void;
}

export interface StreamPoller {
  /** Says that the table was written to. */
  notify(): void;
  /** Resolves when the batch in hand has ended. */
  stop(): Promise<void>;
}

/** Lambda looks four times a second (Lambda developer guide, polling and batching streams); here a caller waits for it. */
export const POLL_MS = 50;

/** Lambda's wait grows with each failure, to a minute; here to 5 s, because a developer waits for it. */
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

export function startStreamPoller(options: StreamPollerOptions): StreamPoller {
  const { mapping, read, save, log, longestWaitMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** True if there may be records that no read has covered yet. */
  let noticed = false;
  let waiting: AbortController | undefined;

  /** Looks are `POLL_MS` apart, however many the writes; a write after a longer wait is looked for at once. */
  async function awaitNotice(): Promise<void> {
    await pause(POLL_MS, signal);
    if (noticed || signal.aborted) return;
    waiting = new AbortController();
    await pause(longestWaitMs - POLL_MS, waiting.signal);
    waiting = undefined;
  }

  async function run(): Promise<void> {
    let checkpoint = options.start;
    while (!signal.aborted) {
      noticed = false;
      const batch = await read(checkpoint, mapping.batchSize).catch((failure: Error) => {
        noticed = true;
        if (!signal.aborted) log(`stream of ${mapping.tableName}: ${failure.message}`);
        return undefined;
      });
      if (batch === undefined) {
        await awaitNotice();
        continue;
      }
      await handOver(options, batch.records, 0, signal);
      if (signal.aborted) return;
      checkpoint = { shardId: batch.shardId, sequenceNumber: sequenceOf(batch.records.at(-1)) };
      keep(checkpoint);
    }
  }

  /** A disk that is full ends nothing: after the next start, the function gets these records again, as Lambda's may. */
  function keep(checkpoint: Checkpoint): void {
    try {
      save(checkpoint);
    } catch (failure) {
      log(`stream of ${mapping.tableName}: its position was not stored: ${(failure as Error).message}`);
    }
  }

  const running = run();
  return {
    notify() {
      noticed = true;
      waiting?.abort();
    },
    stop() {
      stopping.abort();
      waiting?.abort();
      return running;
    },
  };
}

/** Returns when every record was handled or given up, or when it is stopped. */
async function handOver(
  options: StreamPollerOptions,
  records: readonly StreamRecord[],
  failures: number,
  signal: AbortSignal,
): Promise<void> {
  const { mapping, invoke, onGivenUp, log } = options;
  for (let attempt = failures; !signal.aborted; attempt += 1) {
    try {
      await invoke({ Records: records.map((record) => recordOf(record, mapping)) });
      return;
    } catch (failure) {
      if (signal.aborted) return;
      log(`${mapping.functionName}: a batch of ${records.length}: ${(failure as Error).message}`);
    }
    if (mapping.bisect && records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      // Halving does not count against the retries (Lambda developer guide, BisectBatchOnFunctionError).
      await handOver(options, records.slice(0, middle), attempt, signal);
      return handOver(options, records.slice(middle), attempt, signal);
    }
    if (mapping.maxRetries >= 0 && attempt >= mapping.maxRetries) return onGivenUp(noteOf(records, mapping));
    await pause(Math.min(RETRY_MS * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS), signal);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => {});

const sequenceOf = (record: StreamRecord | undefined): string | undefined => record?.dynamodb?.SequenceNumber;

/** Lambda developer guide, example DynamoDB Streams event. */
function recordOf(record: StreamRecord, { streamArn }: StreamMappingDescription): Record<string, unknown> {
  const { dynamodb } = record;
  const createdMs = dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0;
  return {
    ...record,
    awsRegion: REGION,
    eventSourceARN: streamArn,
    dynamodb: { ...dynamodb, ApproximateCreationDateTime: Math.floor(createdMs / 1000) },
  };
}

/**
 * Returns the note that Lambda sends to an on-failure queue. It contains the location of the records, not their
 * content.
 */
const noteOf = (records: readonly StreamRecord[], { streamArn }: StreamMappingDescription) => ({
  version: '1.0',
  timestamp: new Date().toISOString(),
  DDBStreamBatchInfo: {
    startSequenceNumber: sequenceOf(records[0]),
    endSequenceNumber: sequenceOf(records.at(-1)),
    batchSize: records.length,
    streamArn,
  },
});
