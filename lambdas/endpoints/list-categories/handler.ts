/** Wires `GET /categories` for Lambda. */
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listCategories } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) =>
  listCategories(createListingStore(resources)),
);
