/** `GET /api/v1/alerts`: the thresholds of the account that is signed in. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { createAlertReads } from '../../store/alert-reads.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { read } = createAlertReads(resources);
  return async (_request, { session: { accountId } }) => jsonResponse(await read(accountId));
});
