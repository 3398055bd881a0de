/** Wires the building of the search index for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { createSearchStore } from '../../adapters/listings/create-search.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { createMetric } from '../../adapters/system/metrics.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { METRICS } from '../../contract/metrics.ts';
import { consumer } from '../../edge/pipelines.ts';
import { buildSearchIndex } from './consumer.ts';

const metric = createMetric();
const options = { clients: createDynamoClients(), environment: process.env };

export const handler = consumer(
  buildSearchIndex({
    listings: createListingStore(options),
    store: createSearchStore(options),
    clock: systemClock,
    log: createLog(),
    onBuilt: ({ listings, bytes }) => {
      metric(METRICS.listingsIndexed, listings);
      metric(METRICS.searchIndexBytes, bytes);
    },
  }),
);
