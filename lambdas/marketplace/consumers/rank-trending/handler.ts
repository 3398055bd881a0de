/** On a schedule: ranks the trending listings again, because the weight of installs decays. */

import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { updateRankings } from '../../core/discovery/trending.ts';
import { createTrendingStore } from '../../store/create-listings.ts';

export const handler = consumerHandler((resources) => {
  const store = createTrendingStore(resources);
  return () => updateRankings(store, resources.clock());
});
