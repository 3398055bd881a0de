/**
 * Forwards each request to the upstream in `UPSTREAM_URL` and its response back, byte by byte, and sends its port to the
 * parent. It parses nothing: what it takes is what the runtime takes for a call.
 */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';

const { UPSTREAM_URL = '' } = process.env;
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { method = '', url = '', headers } = incoming;
  const forwarded = request(new URL(url, UPSTREAM_URL), { method, headers, agent }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  forwarded.once('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(server.address());
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
