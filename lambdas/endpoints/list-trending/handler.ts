/** Wires `GET /trending` for Lambda. */
import { createListingStore, createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listTrending } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) =>
  listTrending({ store: createListingStore(resources), rankings: createTrendingStore(resources) }),
);
