/** `GET /api/v1/acquisitions`: what the account that is signed in has installed and bought. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { acquisitionEntry, acquisitionsQuery } from '../../core/purchases/acquisition.ts';
import { readAcquisitions } from '../../store/listings/acquisitions.ts';

export const handler = sessionHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'listings');
  return async (request, { session: { accountId } }) => {
    const { cursor: after, limit } = validate(acquisitionsQuery, queryOf(request));
    const page = await readAcquisitions(clients.client, table, accountId, { limit, after });
    return jsonResponse(pageBody(page, acquisitionEntry));
  };
});
