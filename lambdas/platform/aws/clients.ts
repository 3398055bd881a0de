/** The AWS clients of a function, made once and kept warm. */
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, type EventBridgeClientConfig } from '@aws-sdk/client-eventbridge';
import { SchedulerClient, type SchedulerClientConfig } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { createDynamoClient } from '../dynamodb/client.ts';
import { createAgents } from '../dynamodb/exchange.ts';

/**
 * DynamoDB answers in single-digit milliseconds; one that takes this long is better asked again. All tries of one
 * request stay within the time that is kept back for settlement.
 */
const DYNAMODB_REQUEST_MS = 3_000;
const TRIES = 3;

const CONNECT_MS = 1_000;

/** Read at a cold start and then in the background, so a slow answer may be waited for. */
const SECRETS_REQUEST_MS = 3_000;

/** As many calls at once as one process may hold. */
const MAX_SOCKETS = 256;

/** Queues, schedules and the bus answer in tens of milliseconds; what takes so long is better asked again. */
const MESSAGING_REQUEST_MS = 3_000;

const requestHandler = (requestTimeout: number) => ({
  connectionTimeout: CONNECT_MS,
  requestTimeout,
  throwOnRequestTimeout: true,
  httpsAgent: { maxSockets: MAX_SOCKETS },
  httpAgent: { maxSockets: MAX_SOCKETS },
});

/** DynamoDB twice: the SDK's retries are for updates that are safe to repeat, and not every update is. */
export interface DynamoClients {
  readonly client: DynamoDBClient;
  /** Sends each request once: for updates that must not arrive twice. */
  readonly onceClient: DynamoDBClient;
}

/**
 * Functions take endpoint, region and credentials from their environment; other programs may pass them. A try is given
 * up after `requestMs`. A request that is sent once fails its call when it is given up, so it is waited for as long as
 * all tries of another. Both have the same connections.
 */
export function createDynamoClients(
  config: DynamoDBClientConfig = {},
  requestMs: number = DYNAMODB_REQUEST_MS,
): DynamoClients {
  const agents = createAgents();
  const make = (maxAttempts: number, timeoutMs: number) =>
    createDynamoClient({ config, agents, maxAttempts, timeoutMs });
  return { client: make(TRIES, requestMs), onceClient: make(1, TRIES * requestMs) };
}

export function createSecretsClient(config: SecretsManagerClientConfig = {}): SecretsManagerClient {
  return new SecretsManagerClient({ ...config, requestHandler: requestHandler(SECRETS_REQUEST_MS) });
}

/** The region of the client says where a queue is, not the queue's URL. */
export function createQueueClient(config: SQSClientConfig = {}): SQSClient {
  const options = { useQueueUrlAsEndpoint: false, requestHandler: requestHandler(MESSAGING_REQUEST_MS) };
  return new SQSClient({ ...config, ...options });
}

export function createScheduleClient(config: SchedulerClientConfig = {}): SchedulerClient {
  return new SchedulerClient({ ...config, requestHandler: requestHandler(MESSAGING_REQUEST_MS) });
}

export function createEventClient(config: EventBridgeClientConfig = {}): EventBridgeClient {
  return new EventBridgeClient({ ...config, requestHandler: requestHandler(MESSAGING_REQUEST_MS) });
}
