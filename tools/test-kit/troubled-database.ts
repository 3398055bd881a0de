/** A real database behind a server that answers some requests as DynamoDB does in trouble, or not at all. */

import { createDynamoClients, type DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { ENGINE_CREDENTIALS } from '../local/dynamodb/client.ts';
import { type DatabaseError, type DatabaseRequest as Received, startFront } from './database-front.ts';

export type { DatabaseError };

export interface DatabaseRequest extends Received {
  readonly body: Received['body'] & {
    readonly TableName?: string;
    readonly UpdateExpression?: string;
    readonly Key?: Readonly<Record<string, unknown>>;
  };
}

/** `lost`: the request is carried out, and its answer is not sent. */
export type Trouble = DatabaseError | 'hang' | 'reset' | 'lost';

/** Returns the fault for a request; undefined passes the request on. */
export type TroublePlan = (request: DatabaseRequest) => Trouble | undefined | Promise<Trouble | undefined>;

export interface TroubledDatabase extends DynamoClients {
  stop(): Promise<void>;
}

/** Short enough for a test of requests that get no answer, and long enough for one that does. */
const REQUEST_MS = 400;

/** Stands before the database at `endpoint`, with the service's own clients, whose requests are given up sooner. */
export async function startTroubledDatabase(
  endpoint: string,
  plan: TroublePlan,
  requestMs = REQUEST_MS,
): Promise<TroubledDatabase> {
  const front = await startFront(endpoint, async (request, forward) => {
    const trouble = await plan(request);
    if (trouble === undefined) return forward();
    if (trouble !== 'lost') return trouble;
    await forward();
    return 'hang';
  });
  const { endpoint: address } = front;
  const clients = createDynamoClients(
    { endpoint: address, region: 'us-east-1', credentials: ENGINE_CREDENTIALS },
    requestMs,
  );
  return {
    ...clients,
    async stop() {
      clients.client.destroy();
      clients.onceClient.destroy();
      await front.stop();
    },
  };
}
