/** Wires `POST /apps/{id}/install` and `POST /ai-agents/{id}/install` for Lambda. */
import { createInstalls } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { installListing } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => installListing(createInstalls(resources)));
