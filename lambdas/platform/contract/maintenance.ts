/**
 * Maintenance mode: a closed service responds to `GET` and rejects every other request. Work that it accepted before
 * continues: open calls, settlements, deliveries, recovery and audit.
 */

/**
 * Returns the name of the parameter that closes a deployment. The operator's commands create it; no stack contains it,
 * so that no deployment opens the service. Names must not start with `aws` or `ssm`, which a stage might.
 */
export const maintenanceParameter = (stage: string): string => `/unified-inference/${stage}/maintenance`;

/** The value of an open service. Any other value closes it; without the parameter it is open. */
export const OPEN_VALUE = 'open';

/** Returns whether a closed service rejects the requests with that method. */
export const isStoppedByMaintenance = (method: string): boolean => method !== 'GET';
