/**
 * Maintenance mode: a closed service responds to `GET` and rejects every other request. Work that it accepted before
 * continues: open calls, settlements, deliveries, recovery and audit.
 */

/**
 * The key of the item that closes a deployment, in the table of the catalog, which no restore replaces. The operator's
 * commands create and delete it, and no function may write the table.
 */
export const CLOSED_ITEM = 'closed';

/** Returns whether a closed service rejects the requests with that method. */
export const isStoppedByMaintenance = (method: string): boolean => method !== 'GET';
