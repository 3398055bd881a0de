/** Wires `GET /apps/{id}` and `GET /ai-agents/{id}` for Lambda. */
import { createListings } from '../../adapters/listings/create-listings.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { getListing } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => getListing(createListings(resources)));
