/** On a schedule: ranks the trending listings again, because the weight of installs decays. */
import { type TrendingStore, updateRankings } from '../../core/listings/discovery/trending.ts';
import type { Clock } from '../../core/ports.ts';

export function rankTrending(store: TrendingStore, clock: Clock) {
  return async (): Promise<void> => {
    await updateRankings(store, clock());
  };
}
