/** The requests of sellers about their earnings, and the responses. */
import * as z from 'zod';
import { usdAmount } from '../../../platform/core/api/amount.ts';
import { ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { type Body, idOf, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { NANO_PER_CENT, type NanoUsd, toCents, usdJson } from '../../../platform/core/money.ts';
import type { HttpRequest } from '../../../platform/core/ports.ts';
import { price } from '../listings/fields.ts';
import { TRANSACTION_TYPES, type TransactionLine } from './ports.ts';
import type { PostedAmount } from './postings.ts';
import { HOLD_REASONS, SALE_STATUSES } from './sale.ts';

/** More than all sales of the service together. */
const MAX_AMOUNT: NanoUsd = 1_000_000_000n * 1_000_000_000n;

/** The body of `POST /api/v1/earnings/transfer`. Whole cents leave nothing behind that no payout could pay. */
export const transferRequest = z.object({
  amount: usdAmount({
    min: NANO_PER_CENT,
    max: MAX_AMOUNT,
    step: NANO_PER_CENT,
    pattern: '^(0[.](0[1-9]|[1-9][0-9]?)|[1-9][0-9]{0,8}([.][0-9]{1,2})?)$',
  }),
});

/** The body of `POST /api/v1/refunds`. */
export const refundRequest = z.object({
  charge: z
    .string()
    .regex(/^(pur_[0-9A-HJKMNP-TV-Z]{26}|sub_[0-9A-HJKMNP-TV-Z]{26}#[1-9][0-9]{0,5})$/)
    .describe('The id of the purchase, or of the charge of a subscription.'),
  amount: price.shape.amount
    .min(1)
    .optional()
    .describe('In cents, as in the price; everything that remains if it is left out.'),
});

/** The query of `GET /api/v1/earnings/transactions`. */
export const transactionsQuery = ulidPageQuery('txn');

const KEY = /^[!-~]{1,255}$/;

export const IDEMPOTENCY_HEADER = {
  'Idempotency-Key': {
    pattern: KEY.source,
    description:
      '1 to 255 visible ASCII characters. A repetition with the same key changes nothing, and returns what the first one did.',
  },
};

/** The `Idempotency-Key` of a request. Throws 400 `invalid_value` if it is malformed. */
export function readIdempotencyKey({ headers }: HttpRequest): string | undefined {
  const key = headers.get('idempotency-key') ?? undefined;
  if (key === undefined || KEY.test(key)) return key;
  const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
  throw new ServiceError('invalid_value', message, { param: 'Idempotency-Key' });
}

const saleSchema = z.object({
  listing_id: idOf('lst'),
  listing_name: z.string().nullable().describe('As it is now; `null` once it is off the market.'),
  status: z.enum(SALE_STATUSES),
  reason: z
    .enum(HOLD_REASONS)
    .nullable()
    .describe(
      'Why the sale is still pending: the payment behind it was disputed or refunded, or its listing was removed.',
    ),
  payable: z.boolean().describe('Paid for with money. What granted credit pays for becomes credit.'),
  price: usd,
  fee: usd,
  refunded: usd.describe('The part of the price that the buyer has received back.'),
  available_at: seconds.nullable().describe('The next check of a pending sale, in seconds since the epoch.'),
});

export const transactionSchema = z.object({
  id: idOf('txn'),
  object: z.literal('earnings_transaction'),
  type: z.enum(TRANSACTION_TYPES),
  amount: usd.describe('Below 0 if it reduces the earnings.'),
  currency: z.literal('USD'),
  charge: idOf('pur').nullable(),
  payout: idOf('po').nullable(),
  sale: saleSchema.nullable().describe('The sale as it is now.'),
  created: seconds,
});

/** `names` are those of the listings, by their ids. */
export const transactionEntry = (
  { transaction, sale }: TransactionLine,
  names: ReadonlyMap<string, string>,
): Body<typeof transactionSchema> => ({
  id: transaction.id,
  object: 'earnings_transaction',
  type: transaction.type,
  amount: usdJson(transaction.amount),
  currency: 'USD',
  charge: transaction.chargeId ?? null,
  payout: transaction.payoutId ?? null,
  sale:
    sale === undefined
      ? null
      : {
          listing_id: sale.listingId,
          listing_name: names.get(sale.listingId) ?? null,
          status: sale.status,
          reason: sale.status === 'pending' ? (sale.held ?? null) : null,
          payable: sale.payable,
          price: usdJson(sale.gross),
          fee: usdJson(sale.fee),
          refunded: usdJson(sale.returned),
          available_at: sale.status === 'pending' ? sale.dueAt : null,
        },
  created: transaction.created,
});

export const transferSchema = z.object({
  id: idOf('txn'),
  object: z.literal('earnings_transfer'),
  amount: usd,
  currency: z.literal('USD'),
  created: seconds,
});

export const transferEntry = ({
  transactionId,
  amount,
  created,
}: PostedAmount): Body<typeof transferSchema> => ({
  id: transactionId,
  object: 'earnings_transfer',
  amount: usdJson(amount),
  currency: 'USD',
  created,
});

export const cents = z.int().describe('In cents, as in the price.');

export const refundSchema = z.object({
  id: idOf('txn'),
  object: z.literal('refund'),
  charge: idOf('pur'),
  amount: cents,
  currency: z.literal('USD'),
  created: seconds,
});

export const refundEntry = (
  charge: string,
  { transactionId, amount, created }: PostedAmount,
): Body<typeof refundSchema> => ({
  id: transactionId,
  object: 'refund',
  charge,
  amount: toCents(amount),
  currency: 'USD',
  created,
});
