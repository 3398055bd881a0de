/** On a schedule: ranks the trending listings again, because the weight of installs decays. */
import { createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { updateRankings } from '../../core/listings/discovery/trending.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';

export const handler = consumerHandler((resources) => {
  const store = createTrendingStore(resources);
  return () => updateRankings(store, resources.clock());
});
