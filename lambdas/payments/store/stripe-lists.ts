/** The lists of Stripe with what has become of our orders (Stripe API reference, List all Checkout Sessions, refunds, disputes). */
import type Stripe from 'stripe';
import type { PaymentFact } from '../core/order.ts';
import { type ListedFact, type ListName, ListTooLongError, type PaymentLists } from '../core/ports.ts';
import { StripeApi, type StripeOptions } from './stripe-api.ts';
import { disputed, paid, referenceOf, refunded } from './stripe-event.ts';

/** The most that Stripe returns at once (Stripe API reference, Pagination). */
const PAGE = 100;

/** The records that are read of one list: 1,000 pages of a third of a second each fit into the time of a function. */
const MAX_LISTED = 100_000;

/** The value in the secret until the operator has stored a key. */
const NO_KEY = 'none';

interface ListParams {
  readonly created: { readonly gte: number };
  readonly limit: number;
  readonly starting_after?: string;
}

interface StripeRecord {
  readonly id: string;
  readonly created: number;
}

interface ListOf<T extends StripeRecord> {
  readonly request: (
    stripe: Stripe,
    params: ListParams,
  ) => Promise<{ readonly data: readonly T[]; readonly has_more: boolean }>;
  readonly read: (record: T) => Read | undefined;
}

interface Read {
  readonly fact: PaymentFact | undefined;
  readonly metadata: Readonly<Record<string, string>> | null | undefined;
}

const PAYMENTS: ListOf<Stripe.Checkout.Session> = {
  request: (stripe, params) => stripe.checkout.sessions.list({ ...params, status: 'complete' }),
  read: paid,
};

/** Only the payment has the metadata of the order, so that it is requested with the list. */
const EXPANDED = { expand: ['data.payment_intent'] };

const REFUNDS: ListOf<Stripe.Refund> = {
  request: (stripe, params) => stripe.refunds.list({ ...params, ...EXPANDED }),
  read: (refund) => withMetadata(refunded(refund)),
};

const DISPUTES: ListOf<Stripe.Dispute> = {
  request: (stripe, params) => stripe.disputes.list({ ...params, ...EXPANDED }),
  read(dispute) {
    // Two transactions if the money was taken and given back, and none before (Stripe API reference, The Dispute object).
    const { length: moved } = dispute.balance_transactions;
    return moved === 0 ? undefined : withMetadata(disputed(dispute, moved > 1));
  },
};

function withMetadata(reversal: ReturnType<typeof refunded>): Read | undefined {
  if (reversal === undefined || typeof reversal.payment === 'string') return undefined;
  return { fact: reversal.fact, metadata: reversal.payment.metadata };
}

export class StripeLists implements PaymentLists {
  readonly #api: StripeApi;

  constructor(options: StripeOptions) {
    this.#api = new StripeApi(options);
  }

  async isConfigured(): Promise<boolean> {
    return (await this.#api.secret('api_key')) !== NO_KEY;
  }

  list(name: ListName, sinceSeconds: number): AsyncIterable<readonly ListedFact[]> {
    switch (name) {
      case 'payments':
        return this.#pages(name, PAYMENTS, sinceSeconds);
      case 'refunds':
        return this.#pages(name, REFUNDS, sinceSeconds);
      case 'disputes':
        return this.#pages(name, DISPUTES, sinceSeconds);
    }
  }

  async *#pages<T extends StripeRecord>(name: ListName, { request, read }: ListOf<T>, sinceSeconds: number) {
    let after: string | undefined;
    for (let listed = 0; listed < MAX_LISTED; ) {
      const params: ListParams = {
        created: { gte: sinceSeconds },
        limit: PAGE,
        ...(after === undefined ? {} : { starting_after: after }),
      };
      const { data, has_more: hasMore } = await this.#api.call(name, (stripe) => request(stripe, params));
      yield data.flatMap((record) => listedFact(record, read(record)));
      after = data.at(-1)?.id;
      if (!hasMore || after === undefined) return;
      listed += data.length;
    }
    throw new ListTooLongError(name);
  }
}

function listedFact({ id, created }: StripeRecord, read: Read | undefined): readonly ListedFact[] {
  const order = referenceOf(read?.metadata);
  return read === undefined || order === undefined ? [] : [{ id, order, fact: read.fact, created }];
}
