/** Wires `GET /apps/{id}/reviews` and `GET /ai-agents/{id}/reviews` for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createListings, createReviewStore } from '../../adapters/listings/create-listings.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listReviews } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();

const listings = createListings({ clients, environment });
const store = createReviewStore({ clients, environment });

const endpoint = listReviews({ listings, store });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
