/** Wires `GET /search` for Lambda. */
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { createSearch } from '../../adapters/listings/create-search.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { searchListings } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) =>
  searchListings({ search: createSearch(resources), store: createListingStore(resources) }),
);
