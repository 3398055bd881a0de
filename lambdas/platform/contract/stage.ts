/**
 * The record of a stage: whether the operator has closed it, and which layouts its data may contain. A closed service
 * responds to `GET` and rejects every other request. Work that it accepted before continues: open calls, settlements,
 * deliveries, recovery and audit.
 */

/**
 * The key of the record in the table of the catalog, which no restore replaces. The operator's commands write it, and no
 * function may write the table. Without it the service is open, and its data has the first layouts.
 */
export const STAGE_ITEM = 'stage';

/** Returns whether a closed service rejects the requests with that method. */
export const isStoppedByMaintenance = (method: string): boolean => method !== 'GET';
