/** Wires `GET /apps` and `GET /ai-agents` for Lambda. */
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listListings } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => listListings(createListingStore(resources)));
