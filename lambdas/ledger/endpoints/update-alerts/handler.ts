/** `PUT /api/v1/alerts`: replaces the thresholds of the account that is signed in. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { requireFinished } from '../../../platform/core/stage-check.ts';
import { alertsRequest } from '../../core/alerts/thresholds.ts';
import { createAlertReads } from '../../store/alert-reads.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { store, read } = createAlertReads(resources);
  return async (request, { session: { accountId } }) => {
    const { balance_low_usd: lowUsd, balance_low_days: lowDays } = validate(
      alertsRequest,
      (await readJson(request)).value,
    );
    requireFinished(resources.stage.layoutOf('accounts/alerts#'), 'Alerts');
    await store.setThresholds(accountId, { lowUsd: lowUsd ?? undefined, lowDays: lowDays ?? undefined });
    return jsonResponse(await read(accountId));
  };
});
