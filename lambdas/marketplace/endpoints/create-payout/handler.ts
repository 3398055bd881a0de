/** `POST /api/v1/payouts`: starts a payout of available earnings. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { hasPayouts } from '../../../platform/contract/environment.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { NANO_PER_CENT } from '../../../platform/core/money.ts';
import { payoutEntry, payoutRequest } from '../../core/payouts/payout-entry.ts';
import { requestPayout, requirePayouts } from '../../core/payouts/requests.ts';
import { maturityOf } from '../../store/create-earnings.ts';
import { createPayoutStore } from '../../store/create-payouts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const isEnabled = hasPayouts(resources.environment);
  const maturitySeconds = maturityOf(resources.environment);
  const payouts = { ...resources, store: createPayoutStore(resources), maturitySeconds };
  return async (request, { session: { accountId } }) => {
    requirePayouts(isEnabled);
    const { amount: cents } = validate(payoutRequest, (await readJson(request)).value);
    const amount = cents === undefined ? undefined : BigInt(cents) * NANO_PER_CENT;
    return jsonResponse(payoutEntry(await requestPayout(payouts, accountId, amount)), {}, 201);
  };
});
