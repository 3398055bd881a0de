/** `GET /api/v1/operator/dead-letters`: how many messages lie in each dead-letter queue. */

import { createQueueClient } from '../../adapters/aws/clients.ts';
import { createDeadLetterCounts } from '../../adapters/system/dead-letters.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { type DeadLetters, deadLettersEntry } from '../../core/api/dead-letters.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

function listDeadLetters(read: () => Promise<readonly DeadLetters[]>): SessionEndpoint {
  return async () => jsonResponse(pageBody({ entries: await read(), next: undefined }, deadLettersEntry));
}

export const handler = operatorHandler('platform', ({ environment }) =>
  listDeadLetters(createDeadLetterCounts(createQueueClient(), environment)),
);
