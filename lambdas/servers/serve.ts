/** The life cycle of a program: how it listens, reports to its parent, survives and stops. */
import type { AddressInfo } from 'node:net';
import type { Log } from '../platform/core/ports.ts';
import type { NodeHost } from '../platform/http/node-host.ts';
import { framesOf } from '../platform/http/request-handler.ts';

/** An error and two rounds of database calls fit between this and the 120 s that Fargate gives a task at most. */
const DEFAULT_GRACE_SECONDS = 100;

/**
 * The environment variable with the seconds for which calls in flight may continue after the server is requested to
 * stop.
 */
const GRACE_VARIABLE = 'HOST_GRACE_SECONDS';

/**
 * Listens on the address of Lambda Web Functions (`AWS_LAMBDA_HTTP_ENDPOINT`), else on `PORT`. A forked program reports
 * its address, and ends with its parent. At SIGTERM it stops; `endCalls` ends the remaining calls at the timeout. An
 * uncaught failure must not end the calls of others. A rejection is logged. After an exception, which may leave an
 * undefined state, the program stops in order and another one replaces it.
 */
export function serve(
  host: NodeHost,
  log: Log,
  { endCalls, close }: { readonly endCalls: () => void; readonly close?: () => Promise<void> },
): void {
  const { server } = host;
  const { AWS_LAMBDA_HTTP_ENDPOINT: endpoint, PORT = '8080', HOST } = process.env;
  const ready = () => process.send?.({ port: (server.address() as AddressInfo).port });
  if (endpoint === undefined) server.listen(Number(PORT), HOST, ready);
  else server.listen(endpoint, ready);
  const stop = async (exitCode: number) => {
    if (host.isStopping) return;
    await host.stop(Number(process.env[GRACE_VARIABLE] ?? DEFAULT_GRACE_SECONDS) * 1000, endCalls);
    await close?.();
    process.exit(exitCode);
  };
  process.once('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => stop(0));
  process.on('unhandledRejection', (reason) => log.error('unhandled rejection', described(reason)));
  process.on('uncaughtException', (failure) => {
    log.error('uncaught exception', described(failure));
    void stop(1);
  });
}

/** Its message may quote a request. */
function described(failure: unknown): Readonly<Record<string, unknown>> {
  if (!(failure instanceof Error)) return { name: typeof failure };
  return { name: failure.name, stack: framesOf(failure.stack) };
}
