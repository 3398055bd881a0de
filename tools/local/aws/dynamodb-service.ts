/** Checks DynamoDB calls against IAM and forwards them to the engine, bytes in and bytes out; gives notice of writes. */
import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { REGION } from '../assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../dynamodb/client.ts';
import type { TableWrites } from '../dynamodb/table-writes.ts';
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
  writes: TableWrites,
): { readonly service: AwsServiceHandler; close(): void } {
  const url = new URL(endpoint);
  const secure = url.protocol === 'https:';
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const send = secure ? secureRequest : request;

  const service: AwsServiceHandler = async ({ operation, target, body, headers, authorize }, response) => {
    const requiredAccesses = neededAccess(operation, body);
    for (const { action, resourceArn } of requiredAccesses) authorize(action, resourceArn);
    const noticeWrites = () => {
      for (const table of writtenTables(requiredAccesses)) writes.written(table);
    };
    const forwarded = {
      'content-type': headers['content-type'] ?? 'application/x-amz-json-1.0',
      'content-length': body.length,
      'x-amz-target': target,
      'x-amz-date': headers['x-amz-date'] ?? '20200101T000000Z',
      authorization: ENGINE_AUTHORIZATION,
    };
    await new Promise<void>((resolve, reject) => {
      const call = send(url, { method: 'POST', agent, headers: forwarded }, (httpResponse) => {
        noticeWrites();
        response.writeHead(httpResponse.statusCode ?? 500, endToEndHeaders(httpResponse.rawHeaders));
        httpResponse.pipe(response);
        response.once('close', resolve);
        httpResponse.once('error', () => response.destroy());
      });
      call.once('error', (cause) => {
        noticeWrites();
        if (response.headersSent) response.destroy();
        reject(
          new AwsError('InternalServerError', `the DynamoDB engine does not answer: ${cause.message}`, 500),
        );
      });
      call.end(body);
    });
  };
  return { service, close: () => agent.destroy() };
}

function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const retained: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!['connection', 'keep-alive', 'transfer-encoding'].includes(name.toLowerCase()))
      retained.push(name, value);
  }
  return retained;
}
