/** `GET /api/v1/earnings`: what the account has earned by sales of its listings. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { earningsEntry } from '../../core/payouts/earnings-entry.ts';
import { payoutSettings } from '../../core/payouts/payout-entry.ts';
import { createEarningsStore, maturityOf } from '../../store/create-earnings.ts';
import { createPayoutStore } from '../../store/create-payouts.ts';
import { createPayoutProvider } from '../../store/payouts/stripe-payouts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clock, environment } = resources;
  const store = createEarningsStore(resources);
  const maturitySeconds = maturityOf(environment);
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const provider = createPayoutProvider({ ...resources, readSecret });
  const payouts = createPayoutStore(resources);
  const settingsOf = async (accountId: string) => {
    if (provider === undefined) return payoutSettings(undefined, 'disabled');
    const account = await payouts.findAccount(accountId);
    if (account === undefined) return payoutSettings(undefined, 'none');
    // The earnings are shown without the provider, too.
    const status = await provider.accountStatus(account.providerId).catch(() => 'unknown' as const);
    return payoutSettings(account, status);
  };
  return async (_request, { session: { accountId } }) => {
    const [balance, nextDue, settings] = await Promise.all([
      store.balance(accountId),
      store.nextDue(accountId, Math.floor(clock() / 1000) - maturitySeconds),
      settingsOf(accountId),
    ]);
    return jsonResponse(earningsEntry(balance, nextDue, settings));
  };
});
