/** The life cycle of a program: how it listens, reports to its parent, survives, drains and stops. */
import type { AddressInfo } from 'node:net';
import { HOST_GRACE_SECONDS } from '../platform/contract/inference-host.ts';
import type { Log } from '../platform/core/ports.ts';
import type { NodeHost } from '../platform/http/node-host.ts';
import { framesOf } from '../platform/http/request-handler.ts';

/** The environment variable with the seconds of `HOST_GRACE_SECONDS`, for tests and local programs. */
const GRACE_VARIABLE = 'HOST_GRACE_SECONDS';

export interface LifeCycleOptions {
  /** The time for which calls may continue. */
  readonly graceMs: number;
  /** Ends the calls that remain after that. */
  readonly endCalls: () => void;
  readonly close?: (() => Promise<void>) | undefined;
  readonly exit: (code: number) => void;
}

/**
 * Returns how a host stops, and what a fatal error does: the host is unhealthy at once, serves until its time is over, and
 * stops with code 1. A host that is not ready gets no calls from a balancer, and stops at once. An error after the time of
 * all calls ends a host that fails in a loop and cannot stop in order.
 */
export function createLifeCycle(
  host: NodeHost,
  { graceMs, endCalls, close, exit }: LifeCycleOptions,
): { readonly stop: () => Promise<void>; readonly fail: () => void } {
  let exitCode = 0;
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    try {
      await host.stop(graceMs, endCalls);
      await close?.();
    } finally {
      exit(exitCode);
    }
  };
  const fail = () => {
    if (host.hasEnded) exit(1);
    if (!host.isReady) void stop();
    else if (exitCode === 0) setTimeout(stop, graceMs);
    exitCode = 1;
    host.drain(graceMs);
  };
  return { stop, fail };
}

/**
 * Listens on the address of Lambda Web Functions (`AWS_LAMBDA_HTTP_ENDPOINT`), else on `PORT`. A forked program reports
 * its address, and ends with its parent. At SIGTERM it stops. An uncaught failure must not end the calls of others. A
 * rejection is logged. An exception may leave an undefined state, so it is fatal.
 */
export function serve(
  host: NodeHost,
  log: Log,
  { endCalls, close }: Pick<LifeCycleOptions, 'endCalls' | 'close'>,
): void {
  const { server } = host;
  const { AWS_LAMBDA_HTTP_ENDPOINT: endpoint, PORT = '8080', HOST } = process.env;
  const ready = () => process.send?.({ port: (server.address() as AddressInfo).port });
  if (endpoint === undefined) server.listen(Number(PORT), HOST, ready);
  else server.listen(endpoint, ready);
  const graceMs = Number(process.env[GRACE_VARIABLE] ?? HOST_GRACE_SECONDS) * 1000;
  const { stop, fail } = createLifeCycle(host, { graceMs, endCalls, close, exit: process.exit });
  process.once('disconnect', () => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('unhandledRejection', (reason) => log.error('unhandled rejection', described(reason)));
  process.on('uncaughtException', (failure) => {
    log.error('uncaught exception', described(failure));
    fail();
  });
}

/** Its message may quote a request. */
function described(failure: unknown): Readonly<Record<string, unknown>> {
  if (!(failure instanceof Error)) return { name: typeof failure };
  return { name: failure.name, stack: framesOf(failure.stack) };
}
