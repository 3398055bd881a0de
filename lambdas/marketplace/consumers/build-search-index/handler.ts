/** Updates the stored search index by the changes of the listings table. */

import { METRICS } from '../../../platform/contract/metrics.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { indexChanges, updateIndex } from '../../core/discovery/search-build.ts';
import { createListingStore } from '../../store/create-listings.ts';
import { createSearchStore } from '../../store/create-search.ts';
import { decodeListingRecords } from '../../store/listings/listing-record.ts';

export const handler = consumerHandler((resources) => {
  const listings = createListingStore(resources);
  const store = createSearchStore(resources);
  return async (input: unknown) => {
    const changes = indexChanges(decodeListingRecords(input));
    const update = await updateIndex({ listings, store, clock: resources.clock }, changes);
    if (update === undefined || update.bytes === 0) return;
    const values = {
      [METRICS.listingsIndexed]: update.listings,
      [METRICS.searchIndexBytes]: update.bytes,
    };
    resources.measure({ values });
  };
});
