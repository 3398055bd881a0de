/** Wires `POST /apps/{id}/reviews` and `POST /ai-agents/{id}/reviews` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createReviews } from '../../adapters/listings.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { createReview } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const reviews = createReviews({ clients, environment });

const endpoint = createReview({ sessions, reviews });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
