/** Wires `POST /apps/{id}/reviews` and `POST /ai-agents/{id}/reviews` for Lambda. */
import { createReviews } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { createReview } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => createReview(createReviews(resources)));
