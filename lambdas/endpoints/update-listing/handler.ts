/** Wires `PUT /apps/{id}` and `PUT /ai-agents/{id}` for Lambda. */
import { createListings } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { updateListing } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => updateListing(createListings(resources)));
