/** On a schedule: builds the stored search index anew when listings have changed. */
import { createListingStore } from '../../adapters/listings/create-listings.ts';
import { createSearchStore } from '../../adapters/listings/create-search.ts';
import { METRICS } from '../../contract/metrics.ts';
import { buildIndex } from '../../core/listings/discovery/search-build.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';

export const handler = consumerHandler((resources) => {
  const listings = createListingStore(resources);
  const store = createSearchStore(resources);
  return async () => {
    const build = await buildIndex({ ...resources, listings, store });
    if (build === undefined) return null;
    const values = {
      [METRICS.listingsIndexed]: build.listings,
      [METRICS.searchIndexBytes]: build.bytes,
    };
    resources.measure({ values });
    return build;
  };
});
