/** The AWS clients of a function, made once and kept warm. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/**
 * DynamoDB answers in single-digit milliseconds: one that takes a second is better asked again, and three tries
 * stay well within the time that is kept back for settlement.
 */
const DYNAMODB_REQUEST_MS = 1_000;
const CONNECT_MS = 1_000;

/** Two parallel writes a call, and as many calls at once as one process may hold. */
const MAX_SOCKETS = 256;

const requestHandler = (requestTimeout: number) => ({
  connectionTimeout: CONNECT_MS,
  requestTimeout,
  throwOnRequestTimeout: true,
  httpsAgent: { maxSockets: MAX_SOCKETS },
  httpAgent: { maxSockets: MAX_SOCKETS },
});

export function createDynamoClient(maxAttempts = 3): DynamoDBClient {
  return new DynamoDBClient({ maxAttempts, requestHandler: requestHandler(DYNAMODB_REQUEST_MS) });
}

export function createSecretsClient(): SecretsManagerClient {
  return new SecretsManagerClient({ requestHandler: requestHandler(3_000) });
}
