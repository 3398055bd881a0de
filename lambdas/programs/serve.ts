/** How a program listens, reports to its parent and stops. */
import type { AddressInfo } from 'node:net';
import type { NodeHost } from '../edge/node-host.ts';

/** An error and two rounds of database calls fit between this and the 120 s that Fargate gives a task at most. */
const DEFAULT_GRACE_SECONDS = 100;

/** How long calls in flight may go on once the host is to stop. */
const GRACE_VARIABLE = 'HOST_GRACE_SECONDS';

/**
 * Listens where Lambda Web Functions say (`AWS_LAMBDA_HTTP_ENDPOINT`), else on `PORT`. A program that was forked reports
 * where it listens, and ends with its parent. At SIGTERM it stops; `endCalls` ends what is open when its time is over.
 */
export function serve(host: NodeHost, endCalls: () => void): void {
  const { server } = host;
  const { AWS_LAMBDA_HTTP_ENDPOINT: endpoint, PORT = '8080', HOST } = process.env;
  const ready = () => process.send?.({ port: (server.address() as AddressInfo).port });
  if (endpoint === undefined) server.listen(Number(PORT), HOST, ready);
  else server.listen(endpoint, ready);
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', async () => {
    await host.stop(Number(process.env[GRACE_VARIABLE] ?? DEFAULT_GRACE_SECONDS) * 1000, endCalls);
    process.exit(0);
  });
}
