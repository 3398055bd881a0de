/** What the functions of every class are built from, made once per process. */
import { createDynamoClients, type DynamoClients } from '../adapters/aws/clients.ts';
import { createLog } from '../adapters/system/logger.ts';
import { systemAfter, systemClock, systemUlid } from '../adapters/system/system.ts';
import type { After, Clock, Log, UlidSource } from '../core/ports.ts';
import { oncePerEnvironment } from './once.ts';

export interface Resources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clock: Clock;
  readonly after: After;
  readonly ulid: UlidSource;
}

export interface DataResources extends Resources {
  readonly clients: DynamoClients;
}

export const createResources = (): Resources => ({
  environment: process.env,
  log: createLog(),
  clock: systemClock,
  after: systemAfter,
  ulid: systemUlid,
});

/** Marked for the bundler, so that a function that reads no data carries no client. */
export const createDataResources = /* @__PURE__ */ oncePerEnvironment(
  (): DataResources => ({
    ...createResources(),
    clients: createDynamoClients(),
  }),
);
