/** `GET /api/v1/alerts`: the thresholds of the account that is signed in. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { alertsBody } from '../../core/alerts/thresholds.ts';
import { DynamoAlertStore } from '../../store/alert-store.ts';

export const handler = sessionHandler('platform', ({ clients, environment }) => {
  const store = new DynamoAlertStore(clients.client, requireTable(environment, 'accounts'));
  return async (_request, { session: { accountId } }) => jsonResponse(alertsBody(await store.get(accountId)));
});
