/** Puts events on the platform's bus. */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SERVICE_NAME } from '../../platform/contract/limits.ts';
import type { Publish } from '../core/ports.ts';

/** Throws when the bus does not take the event; to publish it again under the same id changes nothing. */
export function createPublisher(client: EventBridgeClient, bus: string): Publish {
  return async ({ accountId, type, id, data }) => {
    const { FailedEntryCount: failed = 0, Entries: entries = [] } = await client.send(
      new PutEventsCommand({
        Entries: [
          {
            EventBusName: bus,
            Source: SERVICE_NAME,
            DetailType: type,
            Detail: JSON.stringify({ account_id: accountId, id, data }),
          },
        ],
      }),
    );
    if (failed > 0) throw new Error(`the event bus did not take the event: ${entries[0]?.ErrorCode}`);
  };
}
