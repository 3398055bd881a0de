/**
 * Workers whose calls to other services happen one at a time, in an order that a history draws. A call may fail before or
 * after its effect, its effect may come late, and it may be the last of its worker.
 */
import { setImmediate as idle } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { aroundSend } from '../../lambdas/ledger/testing/failing-process.ts';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';

export const CALL_FAULTS = ['lost before', 'lost after', 'late', 'dies before', 'dies after'] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

/** A function of Lambda runs for five minutes at most. */
const MAX_RUN_SECONDS = 300;

interface WaitingCall {
  readonly worker: HistoryWorker;
  readonly proceed: (fault: CallFault | undefined) => Promise<void>;
}

export interface InterleavingOptions {
  readonly nowSeconds: () => number;
  /** Called after each command that may have changed a table. */
  readonly onWrite: (tables: readonly string[]) => void;
}

export class HistoryWorker {
  readonly startedSeconds: number;
  /** The number of calls before its start. */
  readonly startedAt: number;
  readonly clients: DynamoClients;
  readonly #interleaving: Interleaving;

  constructor(interleaving: Interleaving, { client, onceClient }: DynamoClients, startedSeconds: number) {
    this.#interleaving = interleaving;
    this.startedSeconds = startedSeconds;
    this.startedAt = interleaving.sequence;
    const wrap = (real: DynamoDBClient) =>
      aroundSend(real, (command, send) => {
        // What an index returns is a hint: the calls that follow it are drawn.
        if (isOfIndex(command)) return interleaving.read(() => send(command));
        return this.call(() => this.#written(command, send), timedOut);
      });
    this.clients = { client: wrap(client), onceClient: wrap(onceClient) };
  }

  /** Waits until the history picks this call. `failure` is thrown if its response is lost. */
  readonly call = <T>(act: () => Promise<T>, failure: () => Error): Promise<T> =>
    this.#interleaving.wait(this, act, failure);

  async #written(command: unknown, send: (command: unknown) => Promise<unknown>): Promise<unknown> {
    const response = await send(command);
    this.#interleaving.options.onWrite(tablesWrittenBy(command));
    return response;
  }
}

export class Interleaving {
  readonly options: InterleavingOptions;
  readonly #clients: DynamoClients;
  readonly #running = new Set<HistoryWorker>();
  #waiting: WaitingCall[] = [];
  #reads = 0;
  #lastRead: Promise<unknown> = Promise.resolve();
  #late: (() => Promise<unknown>)[] = [];
  /** The number of calls so far. */
  sequence = 0;
  /** The worker of the last call; undefined after late effects. */
  last: HistoryWorker | undefined;

  constructor(clients: DynamoClients, options: InterleavingOptions) {
    this.#clients = clients;
    this.options = options;
  }

  get workers(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Starts a worker. Its end, by a result, an error or its death, makes place for another one. */
  async start(
    run: (worker: HistoryWorker) => Promise<unknown>,
    onFailure: (failure: unknown) => void,
  ): Promise<void> {
    const worker = new HistoryWorker(this, this.#clients, this.options.nowSeconds());
    this.#running.add(worker);
    void run(worker)
      .catch(onFailure)
      .finally(() => this.#running.delete(worker));
    await this.#settle();
  }

  wait<T>(worker: HistoryWorker, act: () => Promise<T>, failure: () => Error): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const proceed = async (fault: CallFault | undefined): Promise<void> => {
        if (fault === 'late') this.#late.push(act);
        if (fault === 'lost after' || fault === 'dies after') await act().catch(() => undefined);
        if (fault === 'dies before' || fault === 'dies after') this.#end(worker);
        else if (fault === undefined) await act().then(resolve, reject);
        else reject(failure());
      };
      // A call of a worker that is dead never happens.
      if (this.#running.has(worker)) this.#waiting.push({ worker, proceed });
    });
  }

  /** Lets the call at an index of those that wait happen, and its worker run to its next one. */
  async proceed(index: number, fault: CallFault | undefined): Promise<void> {
    const [call] = this.#waiting.splice(index, 1);
    this.sequence += 1;
    this.last = call?.worker;
    await call?.proceed(fault);
    await this.#settle();
  }

  /** Performs a read that is no call of the history, one after another, before the next call is drawn. */
  read<T>(act: () => Promise<T>): Promise<T> {
    this.#reads += 1;
    const result = this.#lastRead.then(act).finally(() => {
      this.#reads -= 1;
    });
    this.#lastRead = result.catch(() => undefined);
    return result;
  }

  /** Lets late effects come, and ends the workers that have run for too long. */
  async passTime(): Promise<void> {
    this.sequence += 1;
    this.last = undefined;
    for (const act of this.#late.splice(0)) await act().catch(() => undefined);
    const now = this.options.nowSeconds();
    for (const worker of this.#running) if (now - worker.startedSeconds >= MAX_RUN_SECONDS) this.#end(worker);
  }

  /** Lets everything run that waits for no call. */
  async #settle(): Promise<void> {
    do {
      await idle();
      await idle();
    } while (this.#reads > 0);
  }

  #end(worker: HistoryWorker): void {
    this.#running.delete(worker);
    this.#waiting = this.#waiting.filter((call) => call.worker !== worker);
  }
}

/** The error that the SDK throws after its last attempt. */
export const timedOut = (): Error =>
  Object.assign(new Error('the request timed out'), { name: 'TimeoutError' });

const isOfIndex = (command: unknown): boolean =>
  (command as { readonly input: { readonly IndexName?: string } }).input.IndexName !== undefined;

interface WriteInput {
  readonly TableName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
}

function tablesWrittenBy(command: unknown): readonly string[] {
  const { constructor: of, input } = command as {
    readonly constructor: { readonly name: string };
    readonly input: WriteInput;
  };
  if (/^(Get|BatchGet|TransactGet|Query|Scan)/.test(of.name)) return [];
  const items = (input.TransactItems ?? []).flatMap((item) => Object.values(item));
  return [...items, input].flatMap(({ TableName: table }) => table ?? []);
}
