/** A process whose calls to the database fail by plan: unsent, with the answer lost, late, or because it died. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../platform/aws/clients.ts';

export const FAULTS = ['unsent', 'answer-lost', 'late', 'dies-before', 'dies-after'] as const;

/**
 * `unsent`: fails and is never applied. `answer-lost`: applied, then fails. `late`: fails, and is applied when the
 * test says so, as a request that hung in the network. `dies-before` and `dies-after`: the process is gone from then on.
 */
export type Fault = (typeof FAULTS)[number];

/** Faults by the ordinal of the database call, from 1. */
export type FaultPlan = ReadonlyMap<number, Fault>;

type Send = (command: unknown) => Promise<unknown>;

/** Returns the error that the SDK throws after its last retry. */
function timedOut(): Error {
  const failure = new Error('the request timed out');
  failure.name = 'TimeoutError';
  return failure;
}

/** The same client with every command passed through `around`. */
export function aroundSend(
  client: DynamoDBClient,
  around: (command: unknown, send: Send) => Promise<unknown>,
): DynamoDBClient {
  const send: Send = (command) => (client.send as unknown as Send).call(client, command);
  const wrapped: DynamoDBClient = Object.create(client, {
    send: { value: (command: unknown) => around(command, send) },
  });
  return wrapped;
}

export class FailingProcess {
  readonly clients: DynamoClients;
  readonly #plan: FaultPlan;
  readonly #late: (() => Promise<unknown>)[] = [];
  #calls = 0;
  #dead = false;

  constructor({ client, onceClient }: DynamoClients, plan: FaultPlan) {
    this.#plan = plan;
    const wrap = (real: DynamoDBClient) => aroundSend(real, (command, send) => this.#send(command, send));
    this.clients = { client: wrap(client), onceClient: wrap(onceClient) };
  }

  /** The number of database calls that the process has started. */
  get calls(): number {
    return this.#calls;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Applies what was late, in the order it was sent. */
  async landLate(): Promise<void> {
    for (const apply of this.#late.splice(0)) await apply().catch(() => {});
  }

  async #send(command: unknown, send: Send): Promise<unknown> {
    if (this.#dead) throw new Error('the process is dead');
    this.#calls += 1;
    const fault = this.#plan.get(this.#calls);
    if (fault === undefined) return send(command);
    if (fault === 'late') this.#late.push(() => send(command));
    if (fault === 'dies-before' || fault === 'dies-after') this.#dead = true;
    if (fault === 'answer-lost' || fault === 'dies-after') await send(command).catch(() => {});
    throw timedOut();
  }
}
