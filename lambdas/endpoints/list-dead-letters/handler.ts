/** `GET /api/v1/operator/dead-letters`: how many messages lie in each dead-letter queue. */

import { createQueueClient } from '../../adapters/aws/clients.ts';
import { createDeadLetterCounts } from '../../adapters/system/dead-letters.ts';
import { deadLettersEntry } from '../../core/api/dead-letters.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

export const handler = operatorHandler('platform', ({ environment }) => {
  const read = createDeadLetterCounts(createQueueClient(), environment);
  return async () => jsonResponse(pageBody({ entries: await read(), next: undefined }, deadLettersEntry));
});
