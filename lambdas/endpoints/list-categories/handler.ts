/** Wires `GET /categories` for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listCategories } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();

const store = createListingStore({ clients, environment });

const endpoint = listCategories(store);

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
