/** Wires `GET /trending` for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createListingStore, createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listTrending } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();

const store = createListingStore({ clients, environment });
const rankings = createTrendingStore({ clients, environment });

const endpoint = listTrending({ store, rankings });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
