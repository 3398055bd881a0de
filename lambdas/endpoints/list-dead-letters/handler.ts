/** Wires `GET /api/v1/operator/dead-letters` for Lambda. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import { createDeadLetterCounts } from '../../adapters/system/dead-letters.ts';
import { operatorHandler } from '../../hosts/operator-handler.ts';
import { listDeadLetters } from './endpoint.ts';

export const handler = operatorHandler('platform', ({ environment }) =>
  listDeadLetters(createDeadLetterCounts(createQueueClient(), environment)),
);
