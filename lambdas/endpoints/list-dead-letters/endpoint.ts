/** `GET /api/v1/operator/dead-letters`: how many messages lie in each dead-letter queue. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { type DeadLetters, deadLettersEntry } from '../../core/api/dead-letters.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function listDeadLetters(read: () => Promise<readonly DeadLetters[]>): SessionEndpoint {
  return async () => jsonResponse(pageBody({ entries: await read(), next: undefined }, deadLettersEntry));
}
