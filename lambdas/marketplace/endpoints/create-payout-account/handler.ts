/** `POST /api/v1/payout-account`: sets up the seller's account at the payment provider, and returns its onboarding page. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { connectAccount } from '../../core/payouts/account.ts';
import { payoutAccountEntry, payoutAccountRequest } from '../../core/payouts/payout-entry.ts';
import { requirePayouts } from '../../core/payouts/requests.ts';
import { createPayoutStore } from '../../store/create-payouts.ts';
import { createPayoutProvider } from '../../store/payouts/stripe-payouts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { environment, clock } = resources;
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const provider = createPayoutProvider({ ...resources, readSecret });
  const store = createPayoutStore(resources);
  const returnUrl = new URL(requireVariable(environment, VARIABLES.paymentReturnUrl));
  // The console shows the earnings then. Pages after `#` are its own matter.
  returnUrl.searchParams.set('returned', 'payout_account');
  return async (request, { session: { accountId } }) => {
    requirePayouts(provider);
    const change = validate(payoutAccountRequest, (await readJson(request)).value);
    const account = await connectAccount({ store, provider, clock }, accountId, change);
    const [status, page] = await Promise.all([
      provider.accountStatus(account.providerId),
      provider.onboardingPage(account.providerId, returnUrl.href),
    ]);
    return jsonResponse(payoutAccountEntry(account, status, page));
  };
});
