/** Wires `GET /apps/{id}/reviews` and `GET /ai-agents/{id}/reviews` for Lambda. */
import { createListings, createReviewStore } from '../../adapters/listings/create-listings.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listReviews } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) =>
  listReviews({ listings: createListings(resources), store: createReviewStore(resources) }),
);
