/** Parameters of AWS Systems Manager: two operations, for which signature and connections of the DynamoDB client suffice. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createAgents, createExchange } from '../dynamodb/exchange.ts';
import { createJsonSigner, type JsonService } from '../dynamodb/signature.ts';

/** Systems Manager API reference, Common Parameters. */
const SYSTEMS_MANAGER: JsonService = { name: 'ssm', contentType: 'application/x-amz-json-1.1' };

/** Reads take about 10 ms. A call waits for two attempts at most. */
const REQUEST_MS = 1_000;

export interface ParameterOptions {
  /** Gives region and credentials. */
  readonly client: Pick<DynamoDBClient, 'config'>;
  /** Replaces the endpoint of the region. */
  readonly endpoint?: string | undefined;
}

export interface Parameters {
  /** Returns the value, or undefined if the parameter does not exist. */
  read(name: string): Promise<string | undefined>;
  /** Creates the parameter, or replaces its value. */
  write(name: string, value: string): Promise<void>;
}

interface Answer {
  readonly Parameter?: { readonly Value?: string };
  readonly __type?: string;
  readonly message?: string;
}

/** Creates the client. An error has the name of Systems Manager's and its `$metadata`, like one of an AWS SDK. */
export function createParameters({ client: { config }, endpoint }: ParameterOptions): Parameters {
  const agents = createAgents();

  async function send(operation: string, input: object): Promise<Answer> {
    const [region, credentials] = [await config.region(), await config.credentials()];
    const url = new URL(endpoint ?? `https://ssm.${region}.${domainOf(region)}/`);
    const target = `AmazonSSM.${operation}`;
    const body = JSON.stringify(input);
    const sign = createJsonSigner(SYSTEMS_MANAGER, url.host, region);
    const exchange = createExchange({ url, agents, timeoutMs: REQUEST_MS });
    const attempt = () => exchange(sign({ target, body }, credentials, new Date()), body);
    // A frozen function may have lost its connection. Both operations are safe to repeat.
    const { statusCode, body: bytes } = await attempt().catch(attempt);
    const answer = JSON.parse(bytes.toString()) as Answer;
    if (statusCode === 200) return answer;
    const { __type: type = '', message } = answer;
    const name = type.slice(type.indexOf('#') + 1);
    throw Object.assign(new Error(message), { name, $metadata: { httpStatusCode: statusCode } });
  }

  return {
    async read(name) {
      try {
        return (await send('GetParameter', { Name: name })).Parameter?.Value;
      } catch (failure) {
        if ((failure as Error).name === 'ParameterNotFound') return undefined;
        throw failure;
      }
    },
    async write(name, value) {
      await send('PutParameter', { Name: name, Value: value, Type: 'String', Overwrite: true });
    },
  };
}

/** The domain of the region's partition (AWS General Reference, Service endpoints). */
const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
