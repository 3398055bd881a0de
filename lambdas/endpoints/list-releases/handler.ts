/** Wires `GET /apps/{id}/releases` and `GET /ai-agents/{id}/releases` for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createListings, createReleaseStore } from '../../adapters/listings/create-listings.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listReleases } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();

const listings = createListings({ clients, environment });
const store = createReleaseStore({ clients, environment });

const endpoint = listReleases({ listings, store });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
