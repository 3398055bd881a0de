/** Wires the scheduled ranking for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { consumer } from '../../edge/pipelines.ts';
import { rankTrending } from './consumer.ts';

const rankings = createTrendingStore({ clients: createDynamoClients(), environment: process.env });

export const handler = consumer(rankTrending(rankings, systemClock));
