/** A receiver of an owner's webhooks that verifies each event with the official library. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Owner } from '../owner.ts';

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

export class EventReceiver<Event> {
  readonly events: Event[] = [];
  readonly #server: Server;
  #secret = '';

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await textOf(request);
      const headers = request.headers as Record<string, string>;
      // Throws for a forgery, and the test waits for the event in vain.
      this.events.push(new StandardWebhook(this.#secret).verify(body, headers) as Event);
      response.end();
    });
  }

  /** Starts a receiver, and subscribes it to these types. */
  static async open<Event>(owner: Owner, types: readonly string[]): Promise<EventReceiver<Event>> {
    const receiver = new EventReceiver<Event>();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    const url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}/`;
    const webhook = await owner.send('POST', '/api/v1/webhooks', { url, events: types });
    receiver.#secret = ((await webhook.json()) as { readonly secret: string }).secret;
    return receiver;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
