/** Wires `GET /apps/{id}/releases` and `GET /ai-agents/{id}/releases` for Lambda. */
import { createListings, createReleaseStore } from '../../adapters/listings/create-listings.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listReleases } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) =>
  listReleases({ listings: createListings(resources), store: createReleaseStore(resources) }),
);
