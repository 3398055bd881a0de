/** Wires `POST /apps` and `POST /ai-agents` for Lambda. */
import { createListings } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { createListing } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => createListing(createListings(resources)));
