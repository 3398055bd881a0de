/** Counts what passes through DynamoDB clients: rounds, requests and write units, as DynamoDB bills them. */
import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';

export interface TrafficCounts {
  /** The longest chain of requests each of which began after the end of the one before: parallel ones are one round. */
  readonly rounds: number;
  readonly reads: number;
  readonly writes: number;
  /** Writes that failed their condition. */
  readonly rejected: number;
  /**
   * Units that the database reports. A failed write reports none, and is counted as one, or as two for each item of a transaction:
   * our items are below a kilobyte.
   */
  readonly writeUnits: number;
  readonly readUnits: number;
  /** Requests that the SDK sent again. */
  readonly repeats: number;
}

/** A request as it went out, and in which round. */
export interface RecordedRequest {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly round: number;
}

const NOTHING: TrafficCounts = {
  rounds: 0,
  reads: 0,
  writes: 0,
  rejected: 0,
  writeUnits: 0,
  readUnits: 0,
  repeats: 0,
};

interface ConsumedUnits {
  readonly CapacityUnits?: number;
}

interface MeasuredResponse {
  /** A list by table for a request that touches several items. */
  readonly ConsumedCapacity?: ConsumedUnits | readonly ConsumedUnits[];
  readonly $metadata: { readonly attempts?: number };
}

export class Traffic {
  #counts = NOTHING;
  #recordedRequests: RecordedRequest[] = [];
  /** The last round of which a request has ended. */
  #endedCount = 0;
  readonly #background: readonly unknown[];

  /** Reads of the background tables are not counted, because no call waits for them; writes to them are. */
  constructor({ client, onceClient }: DynamoClients, background: readonly (string | undefined)[] = []) {
    this.#background = background;
    for (const watched of [client, onceClient]) this.#watch(watched);
  }

  /** Returns the requests and capacity spent since the last call of this method. */
  take(): TrafficCounts & { readonly recordedRequests: readonly RecordedRequest[] } {
    const counts = { ...this.#counts, recordedRequests: this.#recordedRequests };
    this.#counts = NOTHING;
    this.#recordedRequests = [];
    this.#endedCount = 0;
    return counts;
  }

  #watch(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (request) => {
          const input = { ...request.input } as Record<string, unknown>;
          if (isRead(commandName) && this.#background.includes(input.TableName)) return next(request);
          const round = this.#start(commandName, { ...input });
          try {
            const response = await next({
              ...request,
              input: Object.assign(input, { ReturnConsumedCapacity: 'TOTAL' }) as typeof request.input,
            });
            this.#record(commandName, response.output as MeasuredResponse);
            return response;
          } catch (failure) {
            this.#failed(failure as Error);
            throw failure;
          } finally {
            this.#endedCount = Math.max(this.#endedCount, round);
          }
        },
      { step: 'initialize', name: 'traffic' },
    );
  }

  #start(command: string, input: RecordedRequest['input']): number {
    const round = this.#endedCount + 1;
    this.#recordedRequests.push({ command, input, round });
    this.#add({
      rounds: Math.max(0, round - this.#counts.rounds),
      ...(isRead(command) ? { reads: 1 } : { writes: 1 }),
    });
    return round;
  }

  #record(
    command: string,
    { ConsumedCapacity: consumed, $metadata: { attempts = 1 } }: MeasuredResponse,
  ): void {
    const units = [consumed ?? []]
      .flat()
      .reduce((total, { CapacityUnits: each = Number.NaN }) => total + each, 0);
    this.#add({ repeats: attempts - 1, [isRead(command) ? 'readUnits' : 'writeUnits']: units });
  }

  #failed(failure: Error): void {
    if (failure.name === 'ConditionalCheckFailedException') this.#add({ rejected: 1, writeUnits: 1 });
    if (failure instanceof TransactionCanceledException)
      this.#add({ rejected: 1, writeUnits: 2 * (failure.CancellationReasons?.length ?? 0) });
  }

  #add(counts: Partial<TrafficCounts>): void {
    const sum = (name: keyof TrafficCounts) => this.#counts[name] + (counts[name] ?? 0);
    this.#counts = {
      rounds: sum('rounds'),
      reads: sum('reads'),
      writes: sum('writes'),
      rejected: sum('rejected'),
      writeUnits: sum('writeUnits'),
      readUnits: sum('readUnits'),
      repeats: sum('repeats'),
    };
  }
}

const isRead = (command: string): boolean => /^(Get|BatchGet|TransactGet|Query|Scan)/.test(command);
