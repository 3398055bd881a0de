/** Wires `GET /docs` for Lambda. */
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { getDocs } from './endpoint.ts';

export const handler = buffered(
  front(getDocs(), 'platform', { clock: systemClock, ulid: systemUlid, log: createLog() }),
);
