/**
 * Payouts through Stripe Connect, by Stripe's own library: accounts of API v2, transfers, payouts and reversals of v1. Each
 * request that moves money has an idempotency key of the caller's (Stripe API reference, Idempotent requests).
 */
import type Stripe from 'stripe';
import { StripeApi, type StripeOptions } from '../../../payments/store/stripe-api.ts';
import { payoutReferenceOf } from '../../../payments/store/stripe-event.ts';
import { hasPayouts } from '../../../platform/contract/environment.ts';
import { toCents } from '../../../platform/core/money.ts';
import type { Payout } from '../../core/payouts/payout.ts';
import type {
  PayoutAccountStatus,
  PayoutProvider,
  ProviderPayout,
  ProviderRefusal,
  ProviderTransfer,
} from '../../core/payouts/ports.ts';

/** The most that Stripe returns at once (Stripe API reference, Pagination). */
const PAGE = 100;

const RECIPIENT: Stripe.V2.Core.AccountRetrieveParams = { include: ['configuration.recipient'] };

/** Returns undefined where sellers are not paid: there, a function may not read the provider's secret. */
export const createPayoutProvider = (options: StripeOptions): StripePayouts | undefined =>
  hasPayouts(options.environment) ? new StripePayouts(options) : undefined;

export class StripePayouts implements PayoutProvider {
  readonly #api: StripeApi;

  constructor(options: StripeOptions) {
    this.#api = new StripeApi(options);
  }

  /** An account of the Express dashboard that receives transfers (Stripe documentation, Accounts v2). */
  async createAccount(sellerId: string, country: string): Promise<string | ProviderRefusal> {
    const account = await this.#send('payout account', (stripe) =>
      stripe.v2.core.accounts.create(
        {
          dashboard: 'express',
          defaults: {
            responsibilities: { fees_collector: 'application', losses_collector: 'application' },
          },
          configuration: {
            recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
          },
          identity: { country: country.toLowerCase() },
          metadata: { account_id: sellerId },
        },
        { idempotencyKey: `${sellerId}-${country}` },
      ),
    );
    if ('refused' in account) return account;
    // Each payout of ours is one payout of Stripe's, and none is made by itself.
    await this.#api.call('payout settings', (stripe) =>
      stripe.balanceSettings.update(
        { payments: { payouts: { schedule: { interval: 'manual' } } } },
        { stripeAccount: account.id },
      ),
    );
    return account.id;
  }

  async onboardingPage(providerId: string, url: string) {
    const link = await this.#api.call('onboarding', (stripe) =>
      stripe.v2.core.accountLinks.create({
        account: providerId,
        use_case: {
          type: 'account_onboarding',
          account_onboarding: { refresh_url: url, return_url: url },
        },
      }),
    );
    return { url: link.url, expires: Math.floor(Date.parse(link.expires_at) / 1000) };
  }

  async accountStatus(providerId: string): Promise<PayoutAccountStatus> {
    const account = await this.#api.call('payout account', (stripe) =>
      stripe.v2.core.accounts.retrieve(providerId, RECIPIENT),
    );
    const capability = account.configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers;
    if (account.closed === true || capability === undefined) return 'restricted';
    if (capability.status === 'active') return 'active';
    const needsSeller = capability.status_details.every(({ resolution }) => resolution === 'provide_info');
    return capability.status === 'pending' || (capability.status === 'restricted' && needsSeller)
      ? 'onboarding'
      : 'restricted';
  }

  async accountCountry(providerId: string): Promise<string> {
    const { identity } = await this.#api.call('payout account', (stripe) =>
      stripe.v2.core.accounts.retrieve(providerId, { include: ['identity'] }),
    );
    return (identity?.country ?? '').toUpperCase();
  }

  async findTransfer({ id }: Payout): Promise<string | undefined> {
    const { data } = await this.#api.call('transfers', (stripe) =>
      stripe.transfers.list({ transfer_group: id, limit: PAGE }),
    );
    return data.find(({ metadata }) => payoutReferenceOf(metadata)?.id === id)?.id;
  }

  async createTransfer(
    payout: Payout,
    destination: string,
    idempotencyKey: string,
  ): Promise<string | ProviderRefusal> {
    const transfer = await this.#send('transfer', (stripe) =>
      stripe.transfers.create(
        {
          amount: toCents(payout.amount),
          currency: 'usd',
          destination,
          transfer_group: payout.id,
          metadata: metadataOf(payout),
        },
        { idempotencyKey },
      ),
    );
    return 'refused' in transfer ? transfer : transfer.id;
  }

  async findPayout({ id }: Payout, stripeAccount: string): Promise<ProviderPayout | undefined> {
    for (let after: string | undefined; ; ) {
      const params = {
        limit: PAGE,
        ...(after === undefined ? {} : { starting_after: after }),
      };
      const { data, has_more: hasMore } = await this.#api.call('payouts', (stripe) =>
        stripe.payouts.list(params, { stripeAccount }),
      );
      const found = data.find(({ metadata }) => payoutReferenceOf(metadata)?.id === id);
      if (found !== undefined) return readPayout(found);
      after = data.at(-1)?.id;
      if (!hasMore || after === undefined) return undefined;
    }
  }

  async createPayout(
    payout: Payout,
    stripeAccount: string,
    idempotencyKey: string,
  ): Promise<ProviderPayout | ProviderRefusal> {
    const created = await this.#send('payout', (stripe) =>
      stripe.payouts.create(
        { amount: toCents(payout.amount), currency: 'usd', metadata: metadataOf(payout) },
        { stripeAccount, idempotencyKey },
      ),
    );
    return 'refused' in created ? created : readPayout(created);
  }

  async readPayout(id: string, stripeAccount: string): Promise<ProviderPayout> {
    return readPayout(
      await this.#api.call('payout', (stripe) => stripe.payouts.retrieve(id, {}, { stripeAccount })),
    );
  }

  async isReversed(transfer: string): Promise<boolean> {
    return (await this.#api.call('transfer', (stripe) => stripe.transfers.retrieve(transfer))).reversed;
  }

  async reverse(transfer: string, idempotencyKey: string): Promise<ProviderRefusal | undefined> {
    const reversal = await this.#send('reversal', (stripe) =>
      stripe.transfers.createReversal(transfer, {}, { idempotencyKey }),
    );
    return 'refused' in reversal ? reversal : undefined;
  }

  async *transfers(): AsyncIterable<readonly ProviderTransfer[]> {
    for (let after: string | undefined; ; ) {
      const params = { limit: PAGE, ...(after === undefined ? {} : { starting_after: after }) };
      const { data, has_more: hasMore } = await this.#api.call('transfers', (stripe) =>
        stripe.transfers.list(params),
      );
      yield data.flatMap(readTransfer);
      after = data.at(-1)?.id;
      if (!hasMore || after === undefined) return;
    }
  }

  /** Returns the refusal of a request that had no effect; throws 503 if that is not known. */
  async #send<T extends object>(
    what: string,
    request: (stripe: Stripe) => Promise<T>,
  ): Promise<T | ProviderRefusal> {
    try {
      return await this.#api.call(what, request);
    } catch (failure) {
      const refused = refusalOf((failure as Error).cause);
      if (refused === undefined) throw failure;
      return { refused };
    }
  }
}

/**
 * 400, 402 and 404 reject the request itself. 401 and 403 concern the key of the platform, 409 and 429 the moment (Stripe
 * API reference, Errors). A repetition of a stored response is the response of that key.
 */
function refusalOf(cause: unknown): string | undefined {
  const { statusCode, type, code } = (cause ?? {}) as {
    statusCode?: number;
    type?: string;
    code?: string;
  };
  if (statusCode === undefined || ![400, 402, 404].includes(statusCode)) return undefined;
  // The same key with other parameters is a defect here, and says nothing about the first request.
  return type === 'StripeIdempotencyError' ? undefined : (code ?? 'rejected');
}

const metadataOf = ({ id, sellerId }: Payout) => ({ payout_id: id, account_id: sellerId });

function readPayout({
  id,
  status,
  failure_code: code,
  arrival_date: arrivalDate,
}: Stripe.Payout): ProviderPayout {
  const isFinal = status === 'paid' || status === 'failed' || status === 'canceled';
  return { id, status: isFinal ? status : 'pending', failureCode: code ?? undefined, arrivalDate };
}

function readTransfer({ id, amount, created, destination, metadata, reversed }: Stripe.Transfer) {
  const key = payoutReferenceOf(metadata);
  const providerId = typeof destination === 'string' ? destination : destination?.id;
  if (key === undefined || providerId === undefined) return [];
  return [{ id, key, amountCents: amount, providerId, created, reversed }];
}
