/** On a schedule: builds the stored search index anew when listings have changed. */

import { METRICS } from '../../../platform/contract/metrics.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { buildIndex } from '../../core/discovery/search-build.ts';
import { createListingStore } from '../../store/create-listings.ts';
import { createSearchStore } from '../../store/create-search.ts';

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
