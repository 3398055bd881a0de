/** Requests to an AWS service that speaks JSON, for which signature and connections of the DynamoDB client suffice. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createAgents, createExchange } from '../dynamodb/exchange.ts';
import { createJsonSigner } from '../dynamodb/signature.ts';

export interface JsonServiceOptions {
  /** Gives region and credentials. */
  readonly client: Pick<DynamoDBClient, 'config'>;
  /** Replaces the endpoint of the region. */
  readonly endpoint?: string | undefined;
  /** The name of the service in hostnames and signatures. */
  readonly name: string;
  /** The first part of `X-Amz-Target`. */
  readonly target: string;
  readonly timeoutMs: number;
}

type SendOperation = (operation: string, input: object) => Promise<unknown>;

/**
 * Returns a function that sends an operation, which must be safe to repeat. An error has the name of the service's and
 * its `$metadata`, like one of an AWS SDK.
 */
export function createJsonService(options: JsonServiceOptions): SendOperation {
  const { client, endpoint, name, target, timeoutMs } = options;
  const { config } = client;
  const agents = createAgents();
  return async (operation, input) => {
    const [region, credentials] = [await config.region(), await config.credentials()];
    const url = new URL(endpoint ?? `https://${name}.${region}.${domainOf(region)}/`);
    const body = JSON.stringify(input);
    const sign = createJsonSigner({ name, contentType: 'application/x-amz-json-1.1' }, url.host, region);
    const exchange = createExchange({ url, agents, timeoutMs });
    const attempt = () =>
      exchange(sign({ target: `${target}.${operation}`, body }, credentials, new Date()), body);
    // A frozen function may have lost its connection.
    const { statusCode, body: bytes } = await attempt().catch(attempt);
    const answer: unknown = JSON.parse(bytes.toString());
    if (statusCode === 200) return answer;
    const { __type: type = '', message } = answer as { readonly __type?: string; readonly message?: string };
    const failure = type.slice(type.indexOf('#') + 1);
    throw Object.assign(new Error(message), { name: failure, $metadata: { httpStatusCode: statusCode } });
  };
}

/** The domain of the region's partition (AWS General Reference, Service endpoints). */
export const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
