/** On a schedule: ranks what is trending anew, as installs grow old though none is made. */
import { type TrendingStore, updateRankings } from '../../core/listings/discovery/trending.ts';
import type { Clock } from '../../core/ports.ts';

export function rankTrending(store: TrendingStore, clock: Clock) {
  return async (): Promise<void> => {
    await updateRankings(store, clock());
  };
}
