/** The virtual DynamoDB behind the limits of the real one, and clients of it with the SDK's classes, retries and errors. */
import {
  DynamoDBClient,
  DynamoDBServiceException,
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../../lambdas/adapters/aws/clients.ts';
import type { CapacityLimits } from '../capacity.ts';
import { isPassage, type Refusal, RequestLimits } from '../request-limits.ts';
import { METADATA, VirtualEngine } from './engine.ts';
import type { OperationInput } from './operation.ts';
import { Table, type TableSchema } from './tables.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The least and the most that a request takes, ms; it is drawn evenly. */
const REQUEST_MS = [4, 8] as const;
const TRANSACTION_MS = [10, 20] as const;

/** Of a request's time, the part until the database has carried it out: the least and the most. */
const CARRIED_OUT = [0.3, 0.7] as const;

/** As the service's clients are made: tries of a request, the first one counted. */
const TRIES = 3;

/** The SDK's pause after a throttle: at most this, doubled with each further one (its standard retry mode). */
const THROTTLE_PAUSE_MS = 1_000;

export interface VirtualDatabaseOptions {
  readonly time: VirtualTime;
  readonly tables: Readonly<Record<string, TableSchema>>;
  readonly limits: CapacityLimits;
}

/** What a client reports of a request. */
export interface RequestReport {
  readonly operation: string;
  readonly input: OperationInput;
  /** The units that it cost; 0 when it was refused by the limits. */
  readonly units: number;
  readonly failure: Error | undefined;
}

export type OnRequest = (report: RequestReport) => void;

export class VirtualDatabase {
  readonly limits: RequestLimits;
  readonly engine: VirtualEngine;
  readonly tables: Readonly<Record<string, Table>>;
  readonly #time: VirtualTime;

  constructor({ time, tables, limits }: VirtualDatabaseOptions) {
    this.#time = time;
    this.limits = new RequestLimits({ limits, schemas: tables, clock: time.now });
    this.tables = Object.fromEntries(
      Object.entries(tables).map(([name, schema]) => [name, new Table(schema)] as const),
    );
    this.engine = new VirtualEngine(this.tables);
  }

  /** Clients as a function has them: one sends a throttled request again, the other sends each once. */
  connect(onRequest: OnRequest = () => {}): DynamoClients {
    return { client: this.#client(TRIES, onRequest), onceClient: this.#client(1, onRequest) };
  }

  #client(tries: number, onRequest: OnRequest): DynamoDBClient {
    const send = async (command: { readonly input: object }) => {
      const operation = command.constructor.name.replace(/Command$/, '');
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await this.#request(operation, command.input, onRequest);
        } catch (failure) {
          if (!(failure instanceof DynamoDBServiceException)) throw failure;
          failure.$metadata.attempts = attempts;
          if (attempts === tries || !isThrottle(failure)) throw failure;
          await this.#time.sleep(this.#time.random() * THROTTLE_PAUSE_MS * 2 ** (attempts - 1));
        }
      }
    };
    // The SDK's paginators ask whether it is a client of theirs.
    return Object.assign(Object.create(DynamoDBClient.prototype), { send, destroy: () => {} });
  }

  async #request(operation: string, input: OperationInput, onRequest: OnRequest): Promise<object> {
    const ms = this.#draw(operation.startsWith('Transact') ? TRANSACTION_MS : REQUEST_MS);
    const until = ms * this.#draw(CARRIED_OUT);
    const passage = this.limits.arrive(operation, input);
    await this.#time.sleep(until);
    let failure: Error | undefined;
    let output: object = {};
    let units: readonly number[] = [];
    if (isPassage(passage)) {
      const executed = this.engine.execute(operation, input);
      units = executed.units;
      const refusal = passage.done(units);
      failure = refusal === undefined ? executed.failure : toException(refusal);
      output = executed.output ?? {};
    } else failure = toException(passage);
    onRequest({ operation, input, units: units.reduce((total, each) => total + each, 0), failure });
    await this.#time.sleep(ms - until);
    if (failure !== undefined) throw failure;
    return { ...output, $metadata: { httpStatusCode: 200, attempts: 1 } };
  }

  #draw([least, most]: readonly [number, number]): number {
    return least + this.#time.random() * (most - least);
  }
}

export const isThrottle = (failure: unknown): boolean =>
  failure instanceof ThrottlingException || failure instanceof ProvisionedThroughputExceededException;

const EXCEPTIONS = {
  ThrottlingException,
  ProvisionedThroughputExceededException,
  TransactionConflictException,
  TransactionCanceledException,
} as const;

function toException({ type, message, members }: Refusal): DynamoDBServiceException {
  const exception = EXCEPTIONS[type as keyof typeof EXCEPTIONS];
  return new exception({ message, $metadata: { ...METADATA }, ...members });
}
