/** A receiver of webhooks that verifies each message, accepts it once and answers before it is handled. */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** An event has at most 240 KB of data; more is not from the service. */
const MAX_BODY_BYTES = 512 * 1024;

/**
 * Returns an HTTP server, which does not listen yet.
 * @param secret the signing secret that the creation of the webhook returned
 * @param accept stores an event, or puts it into a queue; if it rejects, the service delivers the event again
 */
export function createReceiver(secret, accept) {
  const webhook = new Webhook(secret);
  // In production, a table with the id as its key, written with the event: this memory ends with the process.
  const accepted = new Map();

  /** Accepts an event once: a repetition shares the outcome of the first delivery, unless that has failed. */
  function acceptOnce(id, event) {
    if (!accepted.has(id)) {
      const acceptance = Promise.resolve(event).then(accept);
      acceptance.catch(() => accepted.delete(id));
      accepted.set(id, acceptance);
    }
    return accepted.get(id);
  }

  /** Returns the status of the response. */
  async function receive(request) {
    if (request.method !== 'POST') return 405;
    const body = await read(request);
    if (body === undefined) return 413;
    let event;
    try {
      // Checks the signature in constant time, and rejects a timestamp that is more than 5 minutes from now.
      event = webhook.verify(body, request.headers);
    } catch {
      return 400;
    }
    await acceptOnce(request.headers['webhook-id'], event);
    return 204;
  }

  // A slow sender must not hold a connection for long.
  return createServer({ requestTimeout: 10_000 }, async (request, response) => {
    const status = await receive(request).catch((failure) => {
      console.error(`A message was not accepted: ${failure.message}`);
      return 500;
    });
    response.writeHead(status).end();
  });
}

/** Returns the bytes of the body as they arrived, because the signature covers them; undefined if there are too many. */
async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}
