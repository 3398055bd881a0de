/** Counts what passes through DynamoDB clients: rounds, requests and write units, as DynamoDB bills them. */
import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';

export interface TrafficCounts {
  /** The longest chain of requests each of which began after the end of the one before: parallel ones are one round. */
  readonly rounds: number;
  readonly reads: number;
  readonly writes: number;
  /** Writes that failed their condition. */
  readonly refused: number;
  /**
   * As the database says; a refused write reports none, and is counted as one, as two for each item of a transaction:
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
  refused: 0,
  writeUnits: 0,
  readUnits: 0,
  repeats: 0,
};

interface Consumed {
  readonly CapacityUnits?: number;
}

interface Answer {
  /** By table, of a request that touches several items. */
  readonly ConsumedCapacity?: Consumed | readonly Consumed[];
  readonly $metadata: { readonly attempts?: number };
}

export class Traffic {
  #spent = NOTHING;
  #sent: RecordedRequest[] = [];
  /** The last round of which a request has ended. */
  #ended = 0;
  readonly #background: readonly unknown[];

  /** Reads of the background tables are not counted, because no call waits for them; writes to them are. */
  constructor({ client, onceClient }: DynamoClients, background: readonly (string | undefined)[] = []) {
    this.#background = background;
    for (const watched of [client, onceClient]) this.#watch(watched);
  }

  /** Returns the requests and capacity spent since the last call of this method. */
  take(): TrafficCounts & { readonly sent: readonly RecordedRequest[] } {
    const taken = { ...this.#spent, sent: this.#sent };
    this.#spent = NOTHING;
    this.#sent = [];
    this.#ended = 0;
    return taken;
  }

  #watch(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (request) => {
          const input = { ...request.input } as Record<string, unknown>;
          if (isRead(commandName) && this.#background.includes(input.TableName)) return next(request);
          const round = this.#begin(commandName, { ...input });
          try {
            const answer = await next({
              ...request,
              input: Object.assign(input, { ReturnConsumedCapacity: 'TOTAL' }) as typeof request.input,
            });
            this.#answered(commandName, answer.output as Answer);
            return answer;
          } catch (failure) {
            this.#failed(failure as Error);
            throw failure;
          } finally {
            this.#ended = Math.max(this.#ended, round);
          }
        },
      { step: 'initialize', name: 'traffic' },
    );
  }

  #begin(command: string, input: RecordedRequest['input']): number {
    const round = this.#ended + 1;
    this.#sent.push({ command, input, round });
    this.#add({
      rounds: Math.max(0, round - this.#spent.rounds),
      ...(isRead(command) ? { reads: 1 } : { writes: 1 }),
    });
    return round;
  }

  #answered(command: string, { ConsumedCapacity: consumed, $metadata: { attempts = 1 } }: Answer): void {
    const units = [consumed ?? []]
      .flat()
      .reduce((total, { CapacityUnits: each = Number.NaN }) => total + each, 0);
    this.#add({ repeats: attempts - 1, [isRead(command) ? 'readUnits' : 'writeUnits']: units });
  }

  #failed(failure: Error): void {
    if (failure.name === 'ConditionalCheckFailedException') this.#add({ refused: 1, writeUnits: 1 });
    if (failure instanceof TransactionCanceledException)
      this.#add({ refused: 1, writeUnits: 2 * (failure.CancellationReasons?.length ?? 0) });
  }

  #add(more: Partial<TrafficCounts>): void {
    const sum = (name: keyof TrafficCounts) => this.#spent[name] + (more[name] ?? 0);
    this.#spent = {
      rounds: sum('rounds'),
      reads: sum('reads'),
      writes: sum('writes'),
      refused: sum('refused'),
      writeUnits: sum('writeUnits'),
      readUnits: sum('readUnits'),
      repeats: sum('repeats'),
    };
  }
}

const isRead = (command: string): boolean => /^(Get|BatchGet|TransactGet|Query|Scan)/.test(command);
