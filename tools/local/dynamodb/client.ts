/** A client for the embedded engine itself, past the endpoint that checks IAM: for tables and their upkeep. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { REGION } from '../assembly/intrinsics.ts';

/**
 * The credentials under which the engine is always called. DynamoDB Local takes letters and digits only and keeps
 * a separate database for each key, so every caller must show the same one.
 */
export const ENGINE_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

export function createEngineClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({ endpoint, region: REGION, credentials: ENGINE_CREDENTIALS });
}
