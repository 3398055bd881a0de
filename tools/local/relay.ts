/** Sends a request on to another server of this machine, and its response back, both as they come. */
import { once } from 'node:events';
import {
  type Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import { Readable } from 'node:stream';

export interface Relay {
  readonly url: URL;
  /** Replaces the path of the URL, as it came. */
  readonly path?: string | undefined;
  readonly method?: string | undefined;
  readonly headers: OutgoingHttpHeaders;
  readonly agent?: Agent;
  readonly body: Buffer | Readable;
}

/** Node frames the body anew; the hint belongs to the other connection. */
const LEFT_OUT = ['keep-alive', 'transfer-encoding'];

/** Resolves when the response has left, or its reader. Rejects before anything was answered. */
export async function relay(
  { url, path = `${url.pathname}${url.search}`, method = 'POST', headers, agent, body }: Relay,
  response: ServerResponse,
): Promise<undefined> {
  const send = url.protocol === 'https:' ? secureRequest : request;
  const onward = send(url, { path, method, headers, agent });
  // A caller who leaves is noticed there.
  response.once('close', () => onward.destroy());
  // A server that has refused an upload may close before all of it is sent; what matters is its answer.
  onward.on('error', () => {});
  if (body instanceof Readable) body.pipe(onward);
  else onward.end(body);
  const [answer] = (await Promise.race([
    once(onward, 'response'),
    once(onward, 'close').then(() => Promise.reject(new Error('it closed the connection'))),
  ])) as [IncomingMessage];
  const names = Object.keys(answer.headersDistinct).filter((name) => !LEFT_OUT.includes(name));
  response.writeHead(
    answer.statusCode ?? 502,
    Object.fromEntries(names.map((name) => [name, answer.headersDistinct[name]])),
  );
  // Headers leave before the first byte does, as they did there.
  response.flushHeaders();
  answer.on('error', () => response.socket?.destroySoon());
  answer.pipe(response);
  if (!response.closed) await once(response, 'close');
}
