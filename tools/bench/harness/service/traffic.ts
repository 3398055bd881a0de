/** Counts what passes through DynamoDB clients: rounds, requests and write units, as DynamoDB bills them. */
import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';

/** A request as it went out, and in which round. */
export interface RecordedRequest {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly round: number;
}

const nothing = () => ({
  /** The longest chain of requests each of which began after the end of the one before: parallel ones are one round. */
  rounds: 0,
  reads: 0,
  writes: 0,
  /** Writes that failed their condition. */
  rejected: 0,
  /**
   * Units that the database reports. A failed write reports none, and is counted as one, or as two for each item of a transaction:
   * our items are below a kilobyte.
   */
  writeUnits: 0,
  readUnits: 0,
  /** Requests that the SDK sent again. */
  repeats: 0,
  recordedRequests: [] as RecordedRequest[],
});

export type TrafficCounts = ReturnType<typeof nothing>;

interface ConsumedUnits {
  readonly CapacityUnits?: number;
}

interface MeasuredResponse {
  /** A list by table for a request that touches several items. */
  readonly ConsumedCapacity?: ConsumedUnits | readonly ConsumedUnits[];
  readonly $metadata: { readonly attempts?: number };
}

export class Traffic {
  #counts = nothing();
  /** The last round of which a request has ended. */
  #endedCount = 0;
  readonly #background: readonly unknown[];

  /** Reads of the background tables are not counted, because no call waits for them; writes to them are. */
  constructor({ client, onceClient }: DynamoClients, background: readonly (string | undefined)[] = []) {
    this.#background = background;
    for (const watched of [client, onceClient]) this.#watch(watched);
  }

  /** Returns the requests and capacity spent since the last call of this method. */
  take(): TrafficCounts {
    const counts = this.#counts;
    this.#counts = nothing();
    this.#endedCount = 0;
    return counts;
  }

  #watch(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (request) => {
          const input = { ...request.input } as Record<string, unknown>;
          const isRead = /^(Get|BatchGet|TransactGet|Query|Scan)/.test(commandName);
          if (isRead && tablesIn(input).every((table) => this.#background.includes(table)))
            return next(request);
          const round = this.#start(commandName, isRead, { ...input });
          try {
            const response = await next({
              ...request,
              input: Object.assign(input, { ReturnConsumedCapacity: 'TOTAL' }) as typeof request.input,
            });
            this.#record(isRead, response.output as MeasuredResponse);
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

  #start(command: string, isRead: boolean, input: RecordedRequest['input']): number {
    const round = this.#endedCount + 1;
    this.#counts.recordedRequests.push({ command, input, round });
    this.#counts.rounds = Math.max(this.#counts.rounds, round);
    this.#counts[isRead ? 'reads' : 'writes'] += 1;
    return round;
  }

  #record(
    isRead: boolean,
    { ConsumedCapacity: consumed = [], $metadata: { attempts = 1 } }: MeasuredResponse,
  ): void {
    this.#counts.repeats += attempts - 1;
    for (const { CapacityUnits: units = Number.NaN } of [consumed].flat())
      this.#counts[isRead ? 'readUnits' : 'writeUnits'] += units;
  }

  #failed(failure: Error): void {
    const isTransaction = failure instanceof TransactionCanceledException;
    if (!isTransaction && failure.name !== 'ConditionalCheckFailedException') return;
    this.#counts.rejected += 1;
    this.#counts.writeUnits += isTransaction ? 2 * (failure.CancellationReasons?.length ?? 0) : 1;
  }
}

const tablesIn = ({ TableName: table, RequestItems: batches }: RecordedRequest['input']): unknown[] =>
  batches === undefined ? [table] : Object.keys(batches as object);
