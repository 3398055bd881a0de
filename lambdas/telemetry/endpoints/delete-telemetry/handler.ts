/** `DELETE /api/v1/telemetry`: sends the account's calls nowhere; what waits is dropped. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { deletedBody } from '../../../platform/core/api/response-schema.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { noDestination } from '../../core/destination.ts';
import { createRemoval } from '../../store/destinations.ts';

export const handler = sessionHandler('platform', (resources) => {
  const remove = createRemoval(resources);
  return async (_request, { session: { accountId } }) => {
    if (!(await remove(accountId))) throw noDestination();
    return jsonResponse(deletedBody(accountId, 'telemetry'));
  };
});
