/** Wires `DELETE /apps/{id}` and `DELETE /ai-agents/{id}` for Lambda. */
import { createListings } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { deleteListing } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => deleteListing(createListings(resources)));
