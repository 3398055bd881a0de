/** Wires `POST /apps/{id}/releases` and `POST /ai-agents/{id}/releases` for Lambda. */
import { createReleases } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { createRelease } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => createRelease(createReleases(resources)));
