/** Checks DynamoDB calls against IAM and forwards them to the engine; gives notice of writes. */
import type { EventEmitter } from 'node:events';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { REGION } from '../assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../dynamodb/client.ts';
import { relay } from '../relay.ts';
import { neededAccess, writtenTables } from './dynamodb-access.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError } from './errors.ts';

/** The engine reads the access key id at most; see `ENGINE_CREDENTIALS` for why it is always the same. */
const ENGINE_AUTHORIZATION =
  `AWS4-HMAC-SHA256 Credential=${ENGINE_CREDENTIALS.accessKeyId}/20200101/${REGION}/dynamodb/aws4_request, ` +
  'SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000000000000000000000000000000000000000000000000000000000000000';

/** The service for an engine at `endpoint`, and a way to give up its idle connections. */
export function createDynamoDbService(
  endpoint: string,
  writes: EventEmitter,
): { readonly service: AwsServiceHandler; close(): void } {
  const url = new URL(endpoint);
  const agent = new (url.protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true });

  const service: AwsServiceHandler = async ({ operation, target, body, headers, authorize }, response) => {
    const needed = neededAccess(operation, body);
    for (const { action, resourceArn, attributes = [] } of needed)
      authorize(action, resourceArn, { 'dynamodb:Attributes': attributes });
    const forwarded = {
      'content-type': headers['content-type'] ?? 'application/x-amz-json-1.0',
      'content-length': body.length,
      'x-amz-target': target,
      'x-amz-date': headers['x-amz-date'] ?? '20200101T000000Z',
      authorization: ENGINE_AUTHORIZATION,
    };
    try {
      return await relay({ url, agent, headers: forwarded, body }, response);
    } catch (cause) {
      const { message } = cause as Error;
      throw new AwsError('InternalServerError', `the DynamoDB engine does not answer: ${message}`, 500);
    } finally {
      for (const table of writtenTables(needed)) writes.emit(table);
    }
  };
  return { service, close: () => agent.destroy() };
}
