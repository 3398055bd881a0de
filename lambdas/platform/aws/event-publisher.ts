/** Puts events on the platform's bus without EventBridge's SDK: a function whose calls wait for its start publishes as well. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { requireVariable, VARIABLES } from '../contract/environment.ts';
import { SERVICE_NAME } from '../contract/limits.ts';
import { createJsonService } from './json-service.ts';

const REQUEST_MS = 3_000;

interface PublishableEvent {
  readonly accountId: string;
  readonly type: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns a function that throws if the bus does not take the event; to publish it again under the same id changes nothing. */
export function createEventPublisher(
  client: Pick<DynamoDBClient, 'config'>,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const send = createJsonService({
    client,
    endpoint: environment.AWS_ENDPOINT_URL,
    name: 'events',
    target: 'AWSEvents',
    timeoutMs: REQUEST_MS,
  });
  const bus = requireVariable(environment, VARIABLES.eventBus);
  return async ({ accountId, type, id, data }: PublishableEvent): Promise<void> => {
    const detail = JSON.stringify({ account_id: accountId, id, data });
    const entry = { EventBusName: bus, Source: SERVICE_NAME, DetailType: type, Detail: detail };
    const answer = (await send('PutEvents', { Entries: [entry] })) as { readonly FailedEntryCount?: number };
    if (answer.FailedEntryCount !== 0) throw new Error('the event bus did not take the event');
  };
}
