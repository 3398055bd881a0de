/**
 * The SDK's DynamoDB client with a shorter path for requests about items. Their inputs and outputs are already
 * DynamoDB's JSON, so the path is: text, signature, exchange, value. The SDK handles the remainder: configuration,
 * credentials, endpoint, retries, errors, binary values, and every other operation.
 */
import { randomUUID } from 'node:crypto';
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  type DynamoDBServiceException,
  GetItemCommand,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import { type Agents, createExchange, type DynamoExchange, type DynamoResponse } from './exchange.ts';
import { createJsonSigner, DYNAMODB, type JsonSigner } from './signature.ts';
import { checkSigningLimit } from './signing-limit.ts';

const ITEM_OPERATIONS: ReadonlySet<unknown> = new Set([
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
  'BatchGetItem',
  'BatchWriteItem',
  'TransactGetItems',
  'TransactWriteItems',
]);

/** The SDK's steps of a request, all but its retries; what is added to the client's stack stays. */
const SDK_STEPS = [
  'serializerMiddleware',
  'getUserAgentMiddleware',
  'contentLengthMiddleware',
  'hostHeaderMiddleware',
  'loggerMiddleware',
  'recursionDetectionMiddleware',
  'httpAuthSchemeMiddleware',
  'httpSigningMiddleware',
];
const SDK_DECODER = 'deserializerMiddleware';
const SDK_RETRIES = 'retryMiddleware';

/** DynamoDB takes signatures of the last 5 minutes. */
const MAX_SKEW_MS = 4 * 60_000;

/** The pattern may also match within strings. The SDK then decodes the text with the same result. */
const HAS_BINARY = /"BS?"\s*:/;

type Command = Parameters<DynamoDBClient['send']>[0];
type Result = { readonly output: ServiceOutputTypes };
type Send = (input: ServiceInputTypes) => Promise<Result>;

export interface DynamoClientOptions {
  readonly config: DynamoDBClientConfig;
  readonly agents: Agents;
  /** The maximum number of times that a request is sent. */
  readonly maxAttempts: number;
  /** The timeout of the response to each attempt. */
  readonly timeoutMs: number;
}

/**
 * Creates the client. Middleware that is added after the first request of an operation does not apply to that
 * operation.
 */
export function createDynamoClient(options: DynamoClientOptions): DynamoDBClient {
  const { config, agents, maxAttempts, timeoutMs } = options;
  const client = new DynamoDBClient({
    ...config,
    maxAttempts,
    requestHandler: { ...agents, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  const requests = new ItemRequests(client, options);
  const senders = new Map<string, Send>();
  const sendBySdk = client.send.bind(client) as (...request: unknown[]) => unknown;
  const send = async (command: Command, ...rest: unknown[]): Promise<unknown> => {
    const operation = command.schema?.[2];
    const short = rest.length === 0 && ITEM_OPERATIONS.has(operation) && !hasBinary(command.input);
    if (!short) return sendBySdk(command, ...rest);
    const sender = senders.get(operation) ?? requests.senderOf(operation, command.schema);
    senders.set(operation, sender);
    return (await sender(operation === 'TransactWriteItems' ? withToken(command.input) : command.input))
      .output;
  };
  return Object.assign(client, { send });
}

/** Adds the token by which DynamoDB recognizes the repetition of a transaction. */
const withToken = (input: ServiceInputTypes) => ({ ClientRequestToken: randomUUID(), ...input });

const hasBinary = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (ArrayBuffer.isView(value) || Object.values(value).some(hasBinary));

interface Target {
  readonly exchange: DynamoExchange;
  readonly sign: JsonSigner;
}

class ItemRequests {
  readonly #client: DynamoDBClient;
  readonly #options: DynamoClientOptions;
  readonly #decoder: DynamoDBClient['middlewareStack'];
  #target: Promise<Target> | undefined;
  /** The time by which the clock of AWS is ahead of ours. */
  #skewMs = 0;

  constructor(client: DynamoDBClient, options: DynamoClientOptions) {
    this.#client = client;
    this.#options = options;
    this.#decoder = without(client, [...SDK_STEPS, SDK_RETRIES]);
  }

  senderOf(operation: string, schema: unknown): Send {
    const context = {
      clientName: 'DynamoDBClient',
      commandName: `${operation}Command`,
      __smithy_context: { operationSchema: schema },
    };
    const decode = this.#decoder.resolve(async ({ request }) => ({ response: request }) as never, context);
    const target = `DynamoDB_20120810.${operation}`;
    const attempt = async ({ input }: { readonly input: ServiceInputTypes }) => {
      const httpResponse = await this.#exchange(target, input);
      const text = httpResponse.body.toString();
      if (httpResponse.statusCode !== 200 || HAS_BINARY.test(text))
        return decode({ input, request: httpResponse } as never).catch((failure) =>
          this.#correctClock(httpResponse, failure),
        );
      const output = { ...JSON.parse(text), $metadata: metadataOf(httpResponse) };
      return { response: httpResponse, output };
    };
    const send = without(this.#client, [...SDK_STEPS, SDK_DECODER]).resolve(attempt, context);
    return (input) => send({ input });
  }

  async #exchange(target: string, input: ServiceInputTypes): Promise<DynamoResponse> {
    const body = JSON.stringify(input);
    this.#target ??= this.#resolve();
    const { exchange, sign } = await this.#target.catch((failure) => {
      this.#target = undefined;
      throw failure;
    });
    const credentials = await this.#client.config.credentials();
    const signed = new Date(Date.now() + this.#skewMs);
    const headers = sign({ target, body }, credentials, signed);
    checkSigningLimit(input, signed.getTime() - this.#skewMs);
    const trace = process.env._X_AMZN_TRACE_ID;
    return exchange(trace === undefined ? headers : [...headers, 'x-amzn-trace-id', trace], body);
  }

  /** The endpoint of the region, or the one that the environment names. */
  async #resolve(): Promise<Target> {
    const { config } = this.#client;
    const { url } = await getEndpointFromInstructions({}, GetItemCommand, config);
    return {
      exchange: createExchange({ url, ...this.#options }),
      sign: createJsonSigner(DYNAMODB, url.host, await config.region()),
    };
  }

  /** Corrects the clock like the SDK: a request that was rejected for our clock is sent again with the time of AWS. */
  #correctClock({ headers }: DynamoResponse, failure: DynamoDBServiceException): never {
    const skewMs = Date.parse(headers.date ?? '') - Date.now();
    const isSignatureRejected = failure.name === 'InvalidSignatureException';
    if (isSignatureRejected && Math.abs(skewMs - this.#skewMs) >= MAX_SKEW_MS) {
      this.#skewMs = skewMs;
      Object.assign(failure.$metadata, { clockSkewCorrected: true });
    }
    throw failure;
  }
}

function without(client: DynamoDBClient, steps: readonly string[]): DynamoDBClient['middlewareStack'] {
  const stack = client.middlewareStack.clone();
  for (const step of steps) stack.remove(step);
  return stack;
}

const metadataOf = ({ statusCode, headers }: DynamoResponse) => ({
  httpStatusCode: statusCode,
  requestId: headers['x-amzn-requestid'],
});
