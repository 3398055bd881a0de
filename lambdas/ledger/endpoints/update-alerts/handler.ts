/** `PUT /api/v1/alerts`: replaces the thresholds of the account that is signed in. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { requireFinished } from '../../../platform/core/stage-check.ts';
import { alertsBody, alertsRequest } from '../../core/alerts/thresholds.ts';
import { DynamoAlertStore } from '../../store/alert-store.ts';

export const handler = sessionHandler('platform', ({ clients, environment, stage }) => {
  const store = new DynamoAlertStore(clients.client, requireTable(environment, 'accounts'));
  return async (request, { session: { accountId } }) => {
    const { balance_low_usd: lowUsd, balance_low_days: lowDays } = validate(
      alertsRequest,
      (await readJson(request)).value,
    );
    requireFinished(stage.layoutOf('accounts/alerts#'), 'Alerts');
    await store.setThresholds(accountId, { lowUsd: lowUsd ?? undefined, lowDays: lowDays ?? undefined });
    return jsonResponse(alertsBody(await store.get(accountId)));
  };
});
