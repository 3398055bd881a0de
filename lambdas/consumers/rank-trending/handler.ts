/** Wires the scheduled ranking for Lambda. */
import { createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { rankTrending } from './consumer.ts';

export const handler = consumerHandler((resources) =>
  rankTrending(createTrendingStore(resources), resources.clock),
);
