/** Wires `POST /apps/{id}/purchase` and `POST /ai-agents/{id}/purchase` for Lambda. */
import { createPurchases } from '../../adapters/listings/create-listings.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { purchaseListing } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => purchaseListing(createPurchases(resources)));
