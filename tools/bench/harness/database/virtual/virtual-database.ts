/** The virtual DynamoDB behind the limits of the real one, and clients of it with the SDK's classes, retries and errors. */
import {
  DynamoDBClient,
  DynamoDBServiceException,
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../../../lambdas/platform/aws/clients.ts';
import type { CapacityLimits } from '../capacity.ts';
import { type DynamoError, isPassage, type Passage, RequestLimits } from '../request-limits.ts';
import { METADATA, VirtualEngine } from './engine.ts';
import type { OperationInput } from './operation.ts';
import { type TableSchema, VirtualTable } from './tables.ts';
import type { VirtualTime } from './virtual-time.ts';

type Span = readonly [least: number, most: number];

/** The duration of requests in milliseconds, drawn uniformly. */
export interface Timing {
  readonly request: Span;
  readonly transaction: Span;
}

const TIMING: Timing = { request: [4, 8], transaction: [10, 20] };

/** The smallest and largest fraction of a request's time until it reaches its items, and then until it is executed. */
const ARRIVED = [0.2, 0.35] as const;
const EXECUTED = [0.65, 0.8] as const;

/** As the service's clients are made: tries of a request, the first one counted. */
const ATTEMPTS = 3;

/** The SDK's pause after a throttle: at most this, doubled with each further one (its standard retry mode). */
const THROTTLE_PAUSE_MS = 1_000;

export interface VirtualDatabaseOptions {
  readonly time: VirtualTime;
  readonly tables: Readonly<Record<string, TableSchema>>;
  readonly limits: CapacityLimits;
  readonly timing?: Timing;
}

/** The result of a request, with all its attempts. */
export interface RequestResult {
  /** Units that it cost; none for a try that the limits refused. */
  readonly units: number;
  readonly attempts: number;
  readonly failure: unknown;
}

/** Is called when a request is sent; what it returns, when the request has ended. */
export type RequestListener = (operation: string, input: OperationInput) => (result: RequestResult) => void;

const UNOBSERVED: RequestListener = () => () => {};

export class VirtualDatabase {
  readonly limits: RequestLimits;
  readonly engine: VirtualEngine;
  readonly tables: Readonly<Record<string, VirtualTable>>;
  readonly #time: VirtualTime;
  readonly #timing: Timing;

  constructor({ time, tables, limits, timing = TIMING }: VirtualDatabaseOptions) {
    this.#time = time;
    this.#timing = timing;
    this.limits = new RequestLimits({ limits, schemas: tables, clock: time.now });
    this.tables = Object.fromEntries(
      Object.entries(tables).map(([name, schema]) => [name, new VirtualTable(schema)] as const),
    );
    this.engine = new VirtualEngine(this.tables);
  }

  /** Clients as a function has them: one sends a throttled request again, the other sends each once. */
  connect(onRequest: RequestListener = UNOBSERVED): DynamoClients {
    return { client: this.#client(ATTEMPTS, onRequest), onceClient: this.#client(1, onRequest) };
  }

  #client(maxAttempts: number, onRequest: RequestListener): DynamoDBClient {
    const send = async (command: { readonly input: object }): Promise<object> => {
      const operation = command.constructor.name.replace(/Command$/, '');
      const outcome = onRequest(operation, command.input);
      let units = 0;
      for (let attempts = 1; ; attempts += 1) {
        const { output, failure, cost } = await this.#request(operation, command.input);
        units += cost;
        const again = attempts < maxAttempts && isThrottle(failure);
        if (!again) outcome({ units, attempts, failure });
        if (failure === undefined)
          return { ...output, $metadata: { httpStatusCode: 200, attempts: attempts } };
        if (failure instanceof DynamoDBServiceException) failure.$metadata.attempts = attempts;
        if (!again) throw failure;
        await this.#time.sleep(this.#time.random() * THROTTLE_PAUSE_MS * 2 ** (attempts - 1));
      }
    };
    // The SDK's paginators ask whether it is a client of theirs.
    return Object.assign(Object.create(DynamoDBClient.prototype), { send, destroy: () => {} });
  }

  /** One try of a request. */
  async #request(operation: string, input: OperationInput) {
    const { request, transaction } = this.#timing;
    const ms = this.#draw(operation.startsWith('Transact') ? transaction : request);
    const [arrivedMs, executedMs] = [ms * this.#draw(ARRIVED), ms * this.#draw(EXECUTED)];
    await this.#time.sleep(arrivedMs);
    const passage = this.limits.arrive(operation, input);
    await this.#time.sleep(executedMs - arrivedMs);
    const result = isPassage(passage) ? this.#execute(operation, input, passage) : failed(passage);
    await this.#time.sleep(ms - executedMs);
    return result;
  }

  #execute(operation: string, input: OperationInput, passage: Passage) {
    const { output = {}, failure, units } = this.engine.execute(operation, input);
    const rejection = passage.done(units);
    const cost = units.reduce((total, each) => total + each, 0);
    return { output, failure: rejection === undefined ? failure : toException(rejection), cost };
  }

  #draw([min, maxMs]: Span): number {
    return min + this.#time.random() * (maxMs - min);
  }
}

const isThrottle = (failure: unknown): boolean =>
  failure instanceof ThrottlingException || failure instanceof ProvisionedThroughputExceededException;

const EXCEPTIONS = {
  ThrottlingException,
  ProvisionedThroughputExceededException,
  TransactionConflictException,
  TransactionCanceledException,
} as const;

const failed = (rejection: DynamoError) => ({ output: {}, failure: toException(rejection), cost: 0 });

function toException({ type, message, members }: DynamoError): DynamoDBServiceException {
  const exception = EXCEPTIONS[type as keyof typeof EXCEPTIONS];
  return new exception({ message, $metadata: { ...METADATA }, ...members });
}
