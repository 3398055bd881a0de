/** Counts what passes through DynamoDB clients: rounds, requests and write units, as DynamoDB bills them. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../lambdas/adapters/clients.ts';

export interface Spent {
  /** Requests that began while no other was under way: calls made in parallel are one round. */
  readonly rounds: number;
  readonly reads: number;
  readonly writes: number;
  /** Writes that failed their condition. */
  readonly refused: number;
  /** As the database says; a refused write tells none, and is counted as one: our items are below a kilobyte. */
  readonly writeUnits: number;
  /** Requests that the SDK sent again. */
  readonly repeats: number;
}

/** A request as it went out, and in which round. */
export interface Sent {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly round: number;
}

const NOTHING: Spent = { rounds: 0, reads: 0, writes: 0, refused: 0, writeUnits: 0, repeats: 0 };

interface Answer {
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
  readonly $metadata: { readonly attempts?: number };
}

export class Traffic {
  #spent = NOTHING;
  #sent: Sent[] = [];
  #underWay = 0;
  readonly #ignoredTable: string | undefined;

  /** Requests to the ignored table are not counted: its reads happen behind the caller's back. */
  constructor({ client, onceClient }: DynamoClients, ignoredTable?: string) {
    this.#ignoredTable = ignoredTable;
    for (const watched of [client, onceClient]) this.#watch(watched);
  }

  /** What was spent since the last time. */
  take(): Spent & { readonly sent: readonly Sent[] } {
    const taken = { ...this.#spent, sent: this.#sent };
    this.#spent = NOTHING;
    this.#sent = [];
    return taken;
  }

  #watch(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (request) => {
          const input = { ...request.input } as Record<string, unknown>;
          if (input.TableName === this.#ignoredTable) return next(request);
          this.#begin(commandName, { ...input });
          try {
            const answer = await next({
              ...request,
              input: Object.assign(input, { ReturnConsumedCapacity: 'TOTAL' }) as typeof request.input,
            });
            this.#end(commandName, answer.output as Answer);
            return answer;
          } catch (failure) {
            this.#fail(failure as Error);
            throw failure;
          }
        },
      { step: 'initialize', name: 'traffic' },
    );
  }

  #begin(command: string, input: Sent['input']): void {
    if (this.#underWay === 0) this.#add({ rounds: 1 });
    this.#underWay += 1;
    this.#sent.push({ command, input, round: this.#spent.rounds });
    this.#add(isRead(command) ? { reads: 1 } : { writes: 1 });
  }

  #end(command: string, { ConsumedCapacity: consumed, $metadata: { attempts = 1 } }: Answer): void {
    this.#underWay -= 1;
    this.#add({
      repeats: attempts - 1,
      ...(isRead(command) ? {} : { writeUnits: consumed?.CapacityUnits ?? Number.NaN }),
    });
  }

  #fail(failure: Error): void {
    this.#underWay -= 1;
    if (failure.name === 'ConditionalCheckFailedException') this.#add({ refused: 1, writeUnits: 1 });
  }

  #add(more: Partial<Spent>): void {
    const sum = (name: keyof Spent) => this.#spent[name] + (more[name] ?? 0);
    this.#spent = {
      rounds: sum('rounds'),
      reads: sum('reads'),
      writes: sum('writes'),
      refused: sum('refused'),
      writeUnits: sum('writeUnits'),
      repeats: sum('repeats'),
    };
  }
}

const isRead = (command: string): boolean => /^(Get|Query|Scan)/.test(command);
