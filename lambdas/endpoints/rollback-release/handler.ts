/** Wires `POST /apps/{id}/releases/{version}/rollback` for Lambda. */
import { createReleases } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { rollbackRelease } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => rollbackRelease(createReleases(resources)));
