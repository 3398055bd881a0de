/** Wires `GET /openapi.json` for Lambda. */
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { describeService } from '../../openapi/operations.ts';
import { getOpenApi } from './endpoint.ts';

export const handler = buffered(
  front(getOpenApi(describeService()), 'platform', {
    clock: systemClock,
    ulid: systemUlid,
    log: createLog(),
  }),
);
