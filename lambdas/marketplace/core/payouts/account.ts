/** A seller's account at the payment provider. */
import { ServiceError } from '../../../platform/core/errors.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import { MIN_PAYOUT_CENTS } from './payout-entry.ts';
import type { PayoutAccount, PayoutProvider, PayoutSchedule, PayoutStore } from './ports.ts';
import { nextPayoutDate } from './requests.ts';

/** Each further try means that another request of the seller came in between. */
const MAX_ATTEMPTS = 8;

export interface PayoutAccountDependencies {
  readonly store: Pick<PayoutStore, 'findAccount' | 'saveAccount'>;
  readonly provider: Pick<PayoutProvider, 'createAccount'>;
  readonly clock: Clock;
}

export interface PayoutAccountChange {
  readonly country: string;
  readonly schedule?: PayoutSchedule | undefined;
  readonly minimum?: number | undefined;
}

/**
 * Creates the account at the provider, if there is none, and changes the settings. The first request that stores an account
 * decides which one is paid. Throws 400 `invalid_value` if the provider does not accept the country, 409 `conflict` if
 * the account is of another country, and 503.
 */
export async function connectAccount(
  { store, provider, clock }: PayoutAccountDependencies,
  sellerId: string,
  change: PayoutAccountChange,
): Promise<PayoutAccount> {
  return retryOptimistically(MAX_ATTEMPTS, 'the payout account', async () => {
    const stored = await store.findAccount(sellerId);
    const { country } = change;
    if (stored !== undefined && stored.country !== country)
      throw new ServiceError('conflict', `The payout account is of ${stored.country}, which cannot change.`);
    const providerId = stored?.providerId ?? (await provider.createAccount(sellerId, country));
    if (typeof providerId !== 'string') {
      const message = 'The payment provider does not accept an account of this country.';
      throw new ServiceError('invalid_value', message, { param: 'country' });
    }
    const schedule = change.schedule ?? stored?.schedule ?? 'manual';
    const dueAt =
      stored?.schedule === schedule ? stored.dueAt : nextPayoutDate(schedule, Math.floor(clock() / 1000));
    const minimum = change.minimum ?? stored?.minimum ?? MIN_PAYOUT_CENTS;
    const account = { sellerId, providerId, country, schedule, minimum, dueAt };
    return (await store.saveAccount(account)) ? account : undefined;
  });
}
