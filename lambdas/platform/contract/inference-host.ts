/** The constants and settings that the stacks and the program of the shared host have in common. */
import { requirePositiveInteger } from './environment.ts';

/**
 * The path at which a balancer checks if the host accepts calls. It is not a route: the API itself responds to its
 * callers.
 */
export const HOST_HEALTH_PATH = '/health/host';

/** A balancer sends no more calls to a host after so many failed checks. */
export const HOST_HEALTH_CHECKS = { intervalSeconds: 10, timeoutSeconds: 5, unhealthyCount: 3 } as const;

/**
 * The time for which calls may continue in a host that drains: after a fatal error, or after a request to stop. An error
 * and two rounds of database calls fit between this and the 120 s that Fargate gives a task at most.
 */
export const HOST_GRACE_SECONDS = 100;

/** The maximum number of open calls of one process; further ones are rejected with 503. */
const OPEN_CALLS_VARIABLE = 'HOST_OPEN_CALLS';

/** A call that waits for its route uses about 100 KB for its connections, in addition to its body. */
export const DEFAULT_OPEN_CALLS = 1_000;

/** Throws an error that names the variable when it is set to anything but a positive integer. */
export function openCallsOf(environment: Readonly<Record<string, string | undefined>>): number {
  const isSet = environment[OPEN_CALLS_VARIABLE] !== undefined;
  return isSet ? requirePositiveInteger(environment, OPEN_CALLS_VARIABLE) : DEFAULT_OPEN_CALLS;
}
