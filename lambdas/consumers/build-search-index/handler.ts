/** Wires the building of the search index for Lambda. */
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { createSearchStore } from '../../adapters/listings/create-search.ts';
import { METRICS } from '../../contract/metrics.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { buildSearchIndex } from './consumer.ts';

export const handler = consumerHandler((resources) =>
  buildSearchIndex({
    ...resources,
    listings: createListingStore(resources),
    store: createSearchStore(resources),
    onBuilt: ({ listings, bytes }) =>
      resources.measure({
        values: { [METRICS.listingsIndexed]: listings, [METRICS.searchIndexBytes]: bytes },
      }),
  }),
);
