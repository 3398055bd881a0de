/** Wires `GET /search` for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { createSearch } from '../../adapters/listings/create-search.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { searchListings } from './endpoint.ts';

const log = createLog();
const options = { clients: createDynamoClients(), environment: process.env, log };
const endpoint = searchListings({ search: createSearch(options), store: createListingStore(options) });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
