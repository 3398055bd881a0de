/** A receiver of an account's events, which verifies each by the official library of the webhooks' standard. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { EVENT_DATA } from '../../../lambdas/webhooks/core/event-data.ts';
import type { Owner } from '../owner.ts';

export interface VerifiedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventReceiver {
  /** In the order of their arrival. */
  readonly events: readonly VerifiedEvent[];
  close(): void;
}

/** Returns the event; throws if its data has a field that the description lacks, or lacks one that it has. */
function asDescribed(event: VerifiedEvent): VerifiedEvent {
  const described = EVENT_DATA[event.type];
  if (described === undefined) throw new Error(`${event.type} is not described`);
  described.schema.strict().parse(event.data);
  return event;
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Receives the owner's events of these types from now on. */
export async function receiveEvents(owner: Owner, types: readonly string[]): Promise<EventReceiver> {
  const events: VerifiedEvent[] = [];
  let secret = '';
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    // Throws for a forgery, and the test waits for the event in vain.
    const event = new StandardWebhook(secret).verify(body, request.headers as Record<string, string>);
    events.push(asDescribed(event as VerifiedEvent));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const webhook = await owner.send('POST', '/api/v1/webhooks', { url, events: types });
  ({ secret } = (await webhook.json()) as { readonly secret: string });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { events, close };
}
