/**
 * The resources that functions are built from, created once per process: the shared host has the handlers of many
 * routes.
 */

import { createDynamoClients, type DynamoClients } from '../aws/clients.ts';
import type { After, Clock, Log, UlidSource } from '../core/ports.ts';
import { createLog } from '../system/logger.ts';
import { systemAfter, systemClock, systemUlid } from '../system/system.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Resources {
  readonly environment: Environment;
  readonly log: Log;
  readonly clock: Clock;
  readonly after: After;
  readonly ulid: UlidSource;
}

export interface DataResources extends Resources {
  readonly clients: DynamoClients;
}

/** Makes a resource once for each environment; tests give a process another one. */
export function oncePerEnvironment<T>(make: (environment: Environment) => T): () => T {
  const cache = new WeakMap<object, T>();
  return () => {
    const { env } = process;
    const cached = cache.get(env);
    if (cached !== undefined) return cached;
    const fresh = make(env);
    cache.set(env, fresh);
    return fresh;
  };
}

export const createResources = (): Resources => ({
  environment: process.env,
  log: createLog(),
  clock: systemClock,
  after: systemAfter,
  ulid: systemUlid,
});

/** Annotated for the bundler, so that a function that reads no data contains no client. */
export const createDataResources = /* @__PURE__ */ oncePerEnvironment(
  (): DataResources => ({ ...createResources(), clients: createDynamoClients() }),
);
