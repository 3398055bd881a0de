/** The AWS clients of a function, created once and reused. */
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SchedulerClient, type SchedulerClientConfig } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { createDynamoClient } from '../dynamodb/client.ts';
import { createAgents } from '../dynamodb/exchange.ts';

/**
 * DynamoDB responds in single-digit milliseconds; a request that takes this long is better retried. All attempts of one
 * request fit the time that is reserved for settlement.
 */
const DYNAMODB_REQUEST_MS = 3_000;
const MAX_ATTEMPTS = 3;

const CONNECT_MS = 1_000;

/** Secrets are read at a cold start and then in the background, so a slow response is acceptable. */
const SECRETS_REQUEST_MS = 3_000;

/** The maximum number of calls that one process serves at the same time. */
const MAX_SOCKETS = 256;

/** Queues and schedules respond in tens of milliseconds; a request that takes this long is better retried. */
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
 * Creates the DynamoDB clients. Functions take endpoint, region and credentials from their environment; other programs
 * may pass them. An attempt times out after `requestMs`. A request that is sent once fails its call on a timeout, so
 * its timeout equals all attempts of a retried one. Both clients share the same connections.
 */
export function createDynamoClients(
  config: DynamoDBClientConfig = {},
  requestMs: number = DYNAMODB_REQUEST_MS,
): DynamoClients {
  const agents = createAgents();
  const make = (maxAttempts: number, timeoutMs: number) =>
    createDynamoClient({ config, agents, maxAttempts, timeoutMs });
  return { client: make(MAX_ATTEMPTS, requestMs), onceClient: make(1, MAX_ATTEMPTS * requestMs) };
}

export function createSecretsClient(config: SecretsManagerClientConfig = {}): SecretsManagerClient {
  return new SecretsManagerClient({ ...config, requestHandler: requestHandler(SECRETS_REQUEST_MS) });
}

/** Creates a queue client. The region of the client determines the location of a queue, not the queue's URL. */
export function createQueueClient(config: SQSClientConfig = {}): SQSClient {
  const options = { useQueueUrlAsEndpoint: false, requestHandler: requestHandler(MESSAGING_REQUEST_MS) };
  return new SQSClient({ ...config, ...options });
}

export function createScheduleClient(config: SchedulerClientConfig = {}): SchedulerClient {
  return new SchedulerClient({ ...config, requestHandler: requestHandler(MESSAGING_REQUEST_MS) });
}
