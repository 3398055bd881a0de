/** `GET /api/v1/operator/dead-letters`: the number of messages in each dead-letter queue. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { createQueueClient } from '../../../platform/aws/clients.ts';
import { deadLettersEntry } from '../../../platform/core/api/dead-letters.ts';
import { pageBody } from '../../../platform/core/api/paging.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { createDeadLetterCounts } from '../../../platform/system/dead-letters.ts';

export const handler = operatorHandler('platform', ({ environment }) => {
  const read = createDeadLetterCounts(createQueueClient(), environment);
  return async () => jsonResponse(pageBody({ entries: await read(), next: undefined }, deadLettersEntry));
});
